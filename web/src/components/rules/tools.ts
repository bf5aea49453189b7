/** What the rule editor knows about an agent's tools. */
import { isObject } from "~/components/rules/json-text";

export interface ToolInfo {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

export interface ArgumentInfo {
  /** `address.city` */
  path: string;
  type: string | null;
  choices: unknown[];
}

const GLOB = /[*?[]/;
const MAX_DEPTH = 4;

export function toolsOf(toolsSchema: unknown): ToolInfo[] {
  if (!Array.isArray(toolsSchema)) return [];
  return toolsSchema.filter(isObject).map((tool) => ({
    name: String(tool.name),
    description: typeof tool.description === "string" ? tool.description : "",
    inputSchema: isObject(tool.input_schema) ? tool.input_schema : {},
  }));
}

export function isGlob(name: string): boolean {
  return GLOB.test(name);
}

/** Matches as the server's fnmatch does: `*`, `?`, `[abc]` and `[!abc]`, and case counts. */
export function globMatches(glob: string, name: string): boolean {
  return new RegExp(`^${globSource(glob)}$`, "su").test(name);
}

function globSource(glob: string): string {
  return glob.replace(
    /\[(!?)([^\]]+)\]|[\s\S]/gu,
    (part, not: string | undefined, set: string | undefined) => {
      if (set !== undefined) return `[${not ? "^" : ""}${set.replace(/[\\[\]^]/g, "\\$&")}]`;
      if (part === "*") return ".*";
      return part === "?" ? "." : part.replace(/[\\^$.|+()[\]{}/]/g, "\\$&");
    },
  );
}

/** The tools a rule is about; without names, all of them. */
export function matchedTools(names: string[], tools: ToolInfo[]): ToolInfo[] {
  if (names.length === 0) return tools;
  return tools.filter(({ name }) =>
    names.some((each) => (isGlob(each) ? globMatches(each, name) : each === name)),
  );
}

/** Every argument the tools take, nested ones too, each path once. */
export function argumentsTaken(tools: ToolInfo[]): ArgumentInfo[] {
  const found = new Map<string, ArgumentInfo>();
  for (const tool of tools) {
    for (const each of membersOf(tool.inputSchema, "", 0)) {
      if (!found.has(each.path)) found.set(each.path, each);
    }
  }
  return [...found.values()];
}

function membersOf(schema: Record<string, unknown>, above: string, depth: number): ArgumentInfo[] {
  if (!isObject(schema.properties) || depth >= MAX_DEPTH) return [];
  return Object.entries(schema.properties).flatMap(([name, member]) => {
    if (name === "" || name.includes(".") || !isObject(member)) return [];
    const path = above + name;
    const own: ArgumentInfo = {
      path,
      type: typeof member.type === "string" ? member.type : null,
      choices: Array.isArray(member.enum) ? member.enum : [],
    };
    return [own, ...membersOf(member, `${path}.`, depth + 1)];
  });
}

/** "number", "text", "list" …: what a value is, in the words of the form. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value === "string") return "text";
  if (typeof value === "number" || typeof value === "bigint") return "number";
  return typeof value;
}

/** Whether an argument of this type could ever have this value. */
export function couldBe(type: string | null, value: unknown): boolean {
  if (type === null) return true;
  const kind = kindOf(value);
  const wanted: Record<string, string> = { string: "text", integer: "number", array: "list" };
  return kind === (wanted[type] ?? type);
}
