/** The arguments of a tool as a form made from its input_schema: texts, read when the call is made. */
import { writeJson } from "~/api/json";
import type { FieldError } from "~/api/problem";
import { isObject, readStrict, Unread } from "~/components/rules/json-text";

export type ArgumentKind = "text" | "number" | "integer" | "boolean" | "choice" | "json";

export interface ArgumentField {
  name: string;
  kind: ArgumentKind;
  /** As the schema says it: `string`, `integer`, `array`. */
  type: string;
  required: boolean;
  description: string;
  choices: unknown[];
}

type Schema = Record<string, unknown>;

const KINDS: Record<string, ArgumentKind> = {
  string: "text",
  number: "number",
  integer: "integer",
  boolean: "boolean",
};

export function fieldsOf(inputSchema: unknown): ArgumentField[] {
  if (!isObject(inputSchema) || !isObject(inputSchema.properties)) return [];
  const required = Array.isArray(inputSchema.required) ? inputSchema.required : [];
  return Object.entries(inputSchema.properties).map(([name, member]) => {
    const schema = withoutNull(isObject(member) ? member : {});
    const choices = Array.isArray(schema.enum) ? schema.enum : [];
    const type = typeof schema.type === "string" ? schema.type : choices.length > 0 ? "enum" : "any";
    return {
      name,
      kind: choices.length > 0 ? "choice" : (KINDS[type] ?? "json"),
      type,
      required: required.includes(name),
      description: typeof schema.description === "string" ? schema.description : "",
      choices,
    };
  });
}

/** `{"anyOf": [X, null]}` and `{"type": ["string", "null"]}` are X where nothing written means absent. */
function withoutNull(schema: Schema): Schema {
  const options = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject) : [];
  const others = options.filter(({ type }) => type !== "null");
  if (others.length === 1 && options.length === 2) return { ...schema, ...others[0] };
  const types = Array.isArray(schema.type) ? schema.type.filter((type) => type !== "null") : [];
  return types.length === 1 ? { ...schema, type: types[0] } : schema;
}

export type Texts = Record<string, string>;

export interface WrittenArguments {
  values: Record<string, unknown>;
  faults: FieldError[];
}

/** Own members only: an argument may be called `constructor`. */
export function textOf(texts: Texts, name: string): string {
  return Object.hasOwn(texts, name) ? (texts[name] ?? "") : "";
}

/** Nothing written is an argument that is not given. */
export function writtenArguments(fields: ArgumentField[], texts: Texts): WrittenArguments {
  const values: [name: string, value: unknown][] = [];
  const faults: FieldError[] = [];
  for (const { name, kind } of fields) {
    const text = textOf(texts, name);
    if (text === "") continue;
    const value = kind === "text" ? text : readStrict(text);
    const isNumber = typeof value === "number" || typeof value === "bigint";
    if (value instanceof Unread || ((kind === "number" || kind === "integer") && !isNumber)) {
      const msg = kind === "json" ? "this is not JSON yet" : "this is not a number";
      faults.push({ loc: [name], msg });
    } else values.push([name, value]);
  }
  return { values: Object.fromEntries(values), faults };
}

/** Null where the form has no place for one of them. */
export function textsOf(fields: ArgumentField[], values: unknown): Texts | null {
  if (!isObject(values)) return null;
  const texts: [name: string, text: string][] = [];
  for (const [name, value] of Object.entries(values)) {
    const field = fields.find((each) => each.name === name);
    if (field === undefined) return null;
    if (field.kind === "text" && (typeof value !== "string" || value === "")) return null;
    texts.push([name, field.kind === "text" ? String(value) : writeJson(value, 0)]);
  }
  return Object.fromEntries(texts);
}
