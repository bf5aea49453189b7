/** Arguments to begin with: what a schema gives as an example, and something of the right type where it gives none. */
import { isObject } from "~/components/rules/json-text";
import { resolved } from "~/components/schema-rows";

type Schema = Record<string, unknown>;

const DEEPEST = 4;
const OF_TYPE: Record<string, unknown> = { string: "", integer: 0, number: 0, boolean: false, null: null };

/** The required arguments, and those for which the schema has an example. */
export function exampleOf(inputSchema: unknown): Record<string, unknown> {
  const made = valueFor(inputSchema, inputSchema, 0);
  return isObject(made) ? made : {};
}

function valueFor(schema: unknown, root: unknown, depth: number): unknown {
  const known = resolved(schema, root);
  if (!isObject(known)) return null;
  const given = givenIn(known);
  if (given !== undefined) return given;
  const [choice] = [known.anyOf, known.oneOf, known.allOf].filter(Array.isArray)[0] ?? [];
  if (choice !== undefined && known.properties === undefined) return valueFor(choice, root, depth + 1);
  const [type] = [known.type].flat();
  if (type === "array") return [];
  if (type === "object" || isObject(known.properties)) return membersOf(known, root, depth);
  return OF_TYPE[String(type)] ?? null;
}

function membersOf(schema: Schema, root: unknown, depth: number): Schema {
  if (!isObject(schema.properties) || depth >= DEEPEST) return {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const wanted = Object.entries(schema.properties).filter(([name, member]) => {
    const known = resolved(member, root);
    return required.includes(name) || (isObject(known) && exampleIn(known) !== undefined);
  });
  return Object.fromEntries(wanted.map(([name, member]) => [name, valueFor(member, root, depth + 1)]));
}

function givenIn(schema: Schema): unknown {
  if ("const" in schema) return schema.const;
  const example = exampleIn(schema);
  if (example !== undefined) return example;
  if (schema.default !== undefined) return schema.default;
  return Array.isArray(schema.enum) ? schema.enum[0] : undefined;
}

function exampleIn(schema: Schema): unknown {
  if (schema.example !== undefined) return schema.example;
  return Array.isArray(schema.examples) ? schema.examples[0] : undefined;
}
