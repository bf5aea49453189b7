import { ensureSyntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

type Node = NonNullable<ReturnType<typeof ensureSyntaxTree>>["topNode"];

/** Where a path such as ["failure_rules", 0, "when"] stands in a JSON document; the nearest parent if nowhere. */
export function rangeOf(state: EditorState, path: (string | number)[]): { from: number; to: number } {
  let node: Node | null = ensureSyntaxTree(state, state.doc.length, 200)?.topNode.firstChild ?? null;
  for (const part of path) {
    const child: Node | null = node === null ? null : member(state, node, part);
    if (child === null) break;
    node = child;
  }
  if (node === null) return { from: 0, to: state.doc.length };
  const open = node.name === "Object" || node.name === "Array";
  return { from: node.from, to: open ? node.from + 1 : node.to };
}

function member(state: EditorState, node: Node, part: string | number): Node | null {
  if (node.name === "Array") {
    let index = 0;
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (["[", "]", ",", "⚠"].includes(child.name)) continue;
      if (index === part) return child;
      index += 1;
    }
    return null;
  }
  for (const property of node.getChildren("Property")) {
    const name = property.getChild("PropertyName");
    if (name !== null && nameOf(state, name) === part) return property.lastChild;
  }
  return null;
}

function nameOf(state: EditorState, node: Node): string {
  const text = state.sliceDoc(node.from, node.to);
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
