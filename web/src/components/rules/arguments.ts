/** The `args` of a rule as rows, and back. */
import type { FieldError } from "~/api/problem";
import { isObject, looseText, readLoose } from "~/components/rules/json-text";
import { type ArgumentRow, newKey, OPERATORS, type Operator } from "~/components/rules/model";

const KNOWN = new Set<string>(OPERATORS.map(({ value }) => value));

/** Rows that say the same, as far as rows can; the caller compares. */
export function rowsOf(args: unknown, above: string[] = []): ArgumentRow[] {
  if (!isObject(args)) return [];
  return Object.entries(args).flatMap(([name, value]): ArgumentRow[] => {
    const path = [...above, name];
    if (!isObject(value)) return [row(path, "is", value)];
    const operators = Object.keys(value).filter((key) => KNOWN.has(key) && key !== "is");
    if (operators.length === 0) return rowsOf(value, path);
    return operators.map((operator) => row(path, operator as Operator, value[operator]));
  });
}

function row(path: string[], operator: Operator, value: unknown): ArgumentRow {
  return { key: newKey(), path: path.join("."), operator, value: looseText(value) };
}

export interface Arguments {
  args: Record<string, unknown>;
  /** Rows that another row leaves no room for; they are not in `args`. */
  crowded: Set<number>;
}

export function argumentsOf(rows: ArgumentRow[]): Arguments {
  const args = emptyObject();
  const crowded = new Set<number>();
  for (const each of rows) {
    if (each.path !== "" && !place(args, placeOf(each), readLoose(each.value))) crowded.add(each.key);
  }
  return { args, crowded };
}

/** Where the value of a row stands below `args`. */
export function placeOf({ path, operator }: ArgumentRow): string[] {
  const names = path.split(".");
  return operator === "is" ? names : [...names, operator];
}

function place(into: Record<string, unknown>, path: string[], value: unknown): boolean {
  const [name = "", ...rest] = path;
  const there = Object.hasOwn(into, name) ? into[name] : undefined;
  if (rest.length === 0) {
    if (there !== undefined) return false;
    into[name] = value;
    return true;
  }
  if (there === undefined) {
    const below = emptyObject();
    into[name] = below;
    return place(below, rest, value);
  }
  if (!isObject(there)) return false;
  const hasOperators = Object.keys(there).some((key) => key.startsWith("$"));
  return hasOperators === rest[0]?.startsWith("$") && place(there, rest, value);
}

export function crowdedFaults(rows: ArgumentRow[]): FieldError[] {
  const { crowded } = argumentsOf(rows);
  return rows
    .filter((each) => crowded.has(each.key))
    .map((each) => ({ loc: ["args", ...placeOf(each)], msg: "another row is about this already" }));
}

/** Without a prototype, so that an argument may be called `__proto__`. */
function emptyObject(): Record<string, unknown> {
  return Object.create(null);
}
