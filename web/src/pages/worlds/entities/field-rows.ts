/** The members of an entity as rows of a form: texts, so that half-written values have a place. */
import { writeJson } from "~/api/json";
import type { Fields } from "~/api/worlds";
import { readStrict, Unread } from "~/components/rules/json-text";

export const KINDS = ["text", "number", "true/false", "null", "JSON"] as const;
export type Kind = (typeof KINDS)[number];

export interface FieldRow {
  key: number;
  name: string;
  kind: Kind;
  text: string;
  /** Its name can still be written. */
  fresh: boolean;
}

let lastKey = 0;

export function rowsOf(fields: Fields): FieldRow[] {
  return Object.entries(fields).map(([name, value]) => ({ ...rowOf(value), name, fresh: false }));
}

export function freshRow(): FieldRow {
  return { ...rowOf(""), name: "", fresh: true };
}

function rowOf(value: unknown): Pick<FieldRow, "key" | "kind" | "text"> {
  const key = ++lastKey;
  if (typeof value === "string") return { key, kind: "text", text: value };
  if (typeof value === "number" || typeof value === "bigint") {
    return { key, kind: "number", text: writeJson(value, 0) };
  }
  if (typeof value === "boolean") return { key, kind: "true/false", text: String(value) };
  return value === null ? { key, kind: "null", text: "" } : { key, kind: "JSON", text: writeJson(value) };
}

/** The same row with another kind of value, its text kept where that can be read so. */
export function turned(row: FieldRow, kind: Kind): FieldRow {
  const text = row.kind === "text" && kind === "JSON" ? writeJson(row.text) : row.text;
  if (kind === "true/false") return { ...row, kind, text: text === "true" ? "true" : "false" };
  if (kind === "number") return { ...row, kind, text: typeof readStrict(text) === "number" ? text : "0" };
  if (kind === "JSON" && text.trim() === "") return { ...row, kind, text: "null" };
  return { ...row, kind, text };
}

export function valueIn({ kind, text }: FieldRow): unknown {
  if (kind === "text") return text;
  if (kind === "null") return null;
  const value = readStrict(text);
  if (kind === "number" && typeof value !== "number" && typeof value !== "bigint") return new Unread(text);
  return value === undefined ? new Unread(text) : value;
}

export interface WrittenFields {
  /** Null while something cannot be read. */
  fields: Fields | null;
  faults: Map<number, string>;
}

export function writtenFields(rows: FieldRow[]): WrittenFields {
  const faults = new Map<number, string>();
  const names = new Set<string>();
  for (const row of rows) {
    if (row.name === "") faults.set(row.key, "give it a name");
    else if (names.has(row.name)) faults.set(row.key, "there is a field of this name already");
    else if (valueIn(row) instanceof Unread) {
      faults.set(row.key, row.kind === "number" ? "this is not a number" : "this is not JSON yet");
    }
    names.add(row.name);
  }
  const fields = faults.size > 0 ? null : Object.fromEntries(rows.map((row) => [row.name, valueIn(row)]));
  return { fields, faults };
}
