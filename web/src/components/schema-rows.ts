import { writeJson } from "~/api/json";

/** A JSON Schema as rows a person can read: one per member, nested ones below their parent. */
export interface SchemaRow {
  /** `address.street`, `orders[].id` */
  path: string;
  type: string;
  required: boolean;
  description: string;
  /** Enum, default, limits: "at least 1". */
  rules: string[];
}

type Schema = Record<string, unknown>;

const DEEPEST = 4;
const MOST_CHOICES = 20;

export function schemaRows(schema: unknown): SchemaRow[] {
  return membersOf(schema, schema, "", 0);
}

function membersOf(schema: unknown, root: unknown, prefix: string, depth: number): SchemaRow[] {
  const whole = resolved(schema, root);
  if (!isSchema(whole) || depth >= DEEPEST) return [];
  if (isSchema(whole.items)) return membersOf(whole.items, root, `${prefix}[]`, depth);
  if (!isSchema(whole.properties)) return [];
  const required = Array.isArray(whole.required) ? whole.required : [];
  return Object.entries(whole.properties).flatMap(([name, member]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    const known = resolved(member, root);
    return [
      {
        path,
        type: typeOf(member, root),
        required: required.includes(name),
        description: isSchema(known) && typeof known.description === "string" ? known.description : "",
        rules: isSchema(known) ? rulesOf(known) : [],
      },
      ...membersOf(member, root, path, depth + 1),
    ];
  });
}

export function typeOf(schema: unknown, root: unknown, depth = 0): string {
  if (schema === false) return "never";
  const known = resolved(schema, root);
  if (!isSchema(known) || depth >= DEEPEST) return "any";
  if ("const" in known) return "constant";
  if (Array.isArray(known.enum) && known.type === undefined) return "enum";
  for (const [member, sign] of [
    ["anyOf", " | "],
    ["oneOf", " | "],
    ["allOf", " & "],
  ] as const) {
    const parts = known[member];
    if (Array.isArray(parts))
      return [...new Set(parts.map((part) => typeOf(part, root, depth + 1)))].join(sign);
  }
  if (Array.isArray(known.type)) return known.type.map(String).join(" | ");
  if (known.type === "array") {
    return known.items === undefined ? "array" : `${typeOf(known.items, root, depth + 1)}[]`;
  }
  if (typeof known.type === "string") return known.type;
  return "properties" in known ? "object" : "any";
}

const LIMITS: [string, (value: unknown) => string][] = [
  ["format", (value) => `format ${value}`],
  ["pattern", (value) => `matches ${value}`],
  ["minimum", (value) => `at least ${value}`],
  ["exclusiveMinimum", (value) => `more than ${value}`],
  ["maximum", (value) => `at most ${value}`],
  ["exclusiveMaximum", (value) => `less than ${value}`],
  ["multipleOf", (value) => `a multiple of ${value}`],
  ["minLength", (value) => `at least ${value} characters`],
  ["maxLength", (value) => `at most ${value} characters`],
  ["minItems", (value) => `at least ${value} items`],
  ["maxItems", (value) => `at most ${value} items`],
  ["default", (value) => `default ${writeJson(value, 0)}`],
  ["const", (value) => `always ${writeJson(value, 0)}`],
];

function rulesOf(schema: Schema): string[] {
  const limits = LIMITS.filter(([member]) => member in schema).map(([member, say]) => say(schema[member]));
  const choices = Array.isArray(schema.enum) ? schema.enum : [];
  if (choices.length === 0) return limits;
  const shown = choices
    .slice(0, MOST_CHOICES)
    .map((choice) => (typeof choice === "string" ? choice : String(choice)));
  const more = choices.length > MOST_CHOICES ? ` and ${choices.length - MOST_CHOICES} more` : "";
  return [`one of ${shown.join(", ")}${more}`, ...limits];
}

/** Follows references inside the document; what leads elsewhere stays unread. */
export function resolved(schema: unknown, root: unknown): unknown {
  let known = schema;
  for (let hops = 0; hops < DEEPEST && isSchema(known) && typeof known.$ref === "string"; hops++) {
    if (!known.$ref.startsWith("#")) return known;
    known = known.$ref
      .slice(1)
      .split("/")
      .slice(1)
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>((at, part) => (isSchema(at) && Object.hasOwn(at, part) ? at[part] : undefined), root);
  }
  return known;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
