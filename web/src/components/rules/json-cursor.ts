/** Where a cursor stands in JSON that is still being written. */
export interface JsonCursor {
  /** Names and positions from the outermost container to the cursor's. For a value, its own name comes last. */
  path: (string | number)[];
  part: "name" | "value";
  /** Where the word under the cursor begins, its quote included. */
  from: number;
}

interface Container {
  list: boolean;
  name: string;
  index: number;
  part: "name" | "value";
}

const WORD = /[\w$.-]*$/;

export function jsonCursor(before: string): JsonCursor | null {
  const open: Container[] = [];
  let from: number | null = null;
  for (let at = 0; at < before.length; at += 1) {
    const here = open.at(-1);
    const character = before[at];
    if (character === '"') {
      const end = endOfString(before, at);
      if (end === null) from = at;
      else if (here && !here.list && here.part === "name") here.name = unquoted(before.slice(at, end + 1));
      at = end ?? before.length;
    } else if (character === "{") open.push({ list: false, name: "", index: 0, part: "name" });
    else if (character === "[") open.push({ list: true, name: "", index: 0, part: "value" });
    else if (character === "}" || character === "]") open.pop();
    else if (character === ":" && here) here.part = "value";
    else if (character === "," && here) {
      here.index += 1;
      here.part = here.list ? "value" : "name";
    }
  }
  const here = open.at(-1);
  if (here === undefined) return null;
  const path = open.map((container) => (container.list ? container.index : container.name));
  const part = here.part;
  return {
    path: part === "name" ? path.slice(0, -1) : path,
    part,
    from: from ?? before.length - (WORD.exec(before)?.[0].length ?? 0),
  };
}

function endOfString(text: string, start: number): number | null {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return null;
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
