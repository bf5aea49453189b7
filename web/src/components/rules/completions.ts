import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  insertCompletionText,
} from "@codemirror/autocomplete";
import type { EditorView } from "@codemirror/view";
import { jsonCursor } from "~/components/rules/json-cursor";
import { FAULTS, MEMBERS, OPERATORS } from "~/components/rules/model";
import type { PatternContext } from "~/components/rules/patterns";
import { argumentsTaken } from "~/components/rules/tools";

type Path = (string | number)[];

const OPS = ["add", "update", "remove", "set_flag", "clear_flag"];
const NAMES: Record<string, readonly string[]> = {
  call: ["from", "to", "every"],
  error: ["code", "message"],
};

/** Names, operators and tools, where the cursor stands in a list of rules (or in `one` rule alone). */
export function ruleCompletions(known: PatternContext, one = false): CompletionSource {
  const below = (path: Path) => (one ? path : path.slice(1));
  return jsonCompletions(
    (path) => memberNames(below(path), known),
    (path) => values(below(path), known),
  );
}

/** What may be written where the cursor stands: names of members below a path, or values of one. */
export function jsonCompletions(
  namesAt: (path: Path) => readonly string[],
  valuesAt: (path: Path) => unknown[],
): CompletionSource {
  return (context: CompletionContext): CompletionResult | null => {
    const cursor = jsonCursor(context.state.sliceDoc(0, context.pos));
    if (cursor === null || (cursor.from === context.pos && !context.explicit)) return null;
    const { path } = cursor;
    const options = cursor.part === "name" ? namesAt(path).map(asName) : valuesAt(path).map(asValue);
    if (options.length === 0) return null;
    return { from: cursor.from, options, filter: true };
  };
}

function memberNames(path: Path, { tools }: PatternContext): readonly string[] {
  const [member, ...below] = path;
  if (member === undefined) return MEMBERS;
  if (member === "args") {
    const above = below.map((name) => `${name}.`).join("");
    const inside = argumentsTaken(tools)
      .filter(({ path }) => path.startsWith(above) && !path.slice(above.length).includes("."))
      .map(({ path }) => path.slice(above.length));
    const operators = OPERATORS.map(({ value }) => value).filter((name) => name !== "is");
    return below.length === 0 ? inside : [...operators, ...inside];
  }
  if (member === "ledger") return below.length === 1 ? ["op", "entity_type", "id", "fields", "flag"] : [];
  return below.length === 0 ? (NAMES[member] ?? []) : [];
}

function values(path: Path, { tools, entityTypes }: PatternContext): unknown[] {
  const [member, ...below] = path;
  if (member === "tool") return [...tools.map(({ name }) => name), "*"];
  if (member === "fault") return FAULTS.map(({ value }) => value);
  if (member === "ledger" && below[1] === "op") return OPS;
  if (member === "ledger" && below[1] === "entity_type") return entityTypes;
  if (member !== "args") return [];
  const names = below.filter((name) => typeof name === "string" && !name.startsWith("$")).join(".");
  return argumentsTaken(tools).find(({ path }) => path === names)?.choices ?? [];
}

function asName(name: string): Completion {
  const quoted = JSON.stringify(name);
  return { label: quoted, displayLabel: name, apply: written(`${quoted}: `), type: "property" };
}

function asValue(value: unknown): Completion {
  const text = JSON.stringify(value);
  return { label: text, displayLabel: String(value), apply: written(text), type: "constant" };
}

/** Puts a text in place of what was begun, and of the quote that the editor closed it with. */
function written(text: string) {
  return (view: EditorView, _: Completion, from: number, to: number) => {
    const closed = view.state.sliceDoc(to, to + 1) === '"';
    view.dispatch(insertCompletionText(view.state, text, from, closed ? to + 1 : to));
  };
}
