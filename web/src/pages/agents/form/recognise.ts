/** Reading what somebody pastes: a whole registration, or a list of tools in one of the shapes in use. */

import { isObject, type JsonObject } from "~/components/rules/json-text";
import {
  type AgentDraft,
  configFields,
  configOf,
  type ToolDraft,
  toolDraft,
} from "~/pages/agents/form/draft";
import { BLANK, jsonText, written } from "~/pages/agents/form/json-text";

/** `plain` has nothing but name, description and input_schema: Anthropic's shape, and also the least of ours. */
type Shape = "Odyssey" | "OpenAI" | "Anthropic" | "MCP" | "plain";

export interface Recognised {
  /** "12 tools in OpenAI's shape" */
  what: string;
  details: string[];
  /** Members that mean nothing here. */
  unused: string[];
  registration: JsonObject;
  /** Undefined when it says nothing about tools. */
  tools: unknown[] | undefined;
}

const MEMBERS = ["name", "description", "mode", "config", "tools_schema", "ledger_schema"];
/** What the server adds when it shows an agent: an agent read from one place can be pasted into another. */
const READ_ONLY = [
  "id",
  "org_id",
  "version",
  "published_version",
  "status",
  "auth_header_set",
  "created_at",
  "updated_at",
  "content_hash",
  "published",
  "created_by",
];

export function recognise(text: string): Recognised | { problem: string } | null {
  const { value, broken } = jsonText(text);
  if (broken !== null) return { problem: `Not JSON: ${broken}` };
  if (value === undefined) return null;
  if (Array.isArray(value)) return bareTools(value, []);
  if (!isObject(value)) return { problem: "This is neither an agent nor a list of tools." };
  if (MEMBERS.some((member) => member !== "name" && member !== "description" && member in value)) {
    return wholeRegistration(value);
  }
  if (Array.isArray(value.tools)) {
    return bareTools(
      value.tools,
      Object.keys(value).filter((member) => member !== "tools"),
    );
  }
  if ("input_schema" in value || ![null, "plain"].includes(shapeOf(value))) return bareTools([value], []);
  return {
    problem:
      "This object is neither an agent (with config or tools_schema) nor a tool (with a name and its schema).",
  };
}

function wholeRegistration(value: JsonObject): Recognised | { problem: string } {
  if (value.tools_schema != null && !Array.isArray(value.tools_schema)) {
    return { problem: "Its tools_schema is not a list." };
  }
  if (value.config != null && !isObject(value.config)) return { problem: "Its config is not an object." };
  const tools = Array.isArray(value.tools_schema) ? value.tools_schema : undefined;
  const parts = [
    typeof value.name === "string" && "name",
    typeof value.description === "string" && value.description !== "" && "description",
    isObject(value.config) && `config (${Object.keys(value.config).join(", ")})`,
    tools && countOf(tools.length),
    value.ledger_schema != null && "ledger schema",
  ].filter((part) => typeof part === "string");
  return {
    what: `A whole registration: ${parts.join(", ")}`,
    details: (tools ?? []).map(nameOf),
    unused: Object.keys(value).filter((member) => ![...MEMBERS, ...READ_ONLY].includes(member)),
    registration: value,
    tools: tools?.map(inOurShape),
  };
}

function bareTools(list: unknown[], unused: string[]): Recognised | { problem: string } {
  if (list.length === 0) return { problem: "The list holds no tools." };
  const shapes = list.map(shapeOf);
  const stranger = shapes.indexOf(null);
  if (stranger >= 0) return { problem: `Entry ${stranger} of the list is not a tool: it has no name.` };
  return {
    what: `${countOf(list.length)} in ${shapeName(shapes)}`,
    details: list.map(nameOf),
    unused,
    registration: {},
    tools: list.map(inOurShape),
  };
}

function shapeName(shapes: (Shape | null)[]): string {
  const told = [...new Set(shapes)].filter((shape) => shape !== "plain");
  if (told.length > 1) return "several shapes";
  return told[0] === "Odyssey" ? "our shape" : `${told[0] ?? "Anthropic"}'s shape`;
}

function shapeOf(entry: unknown): Shape | null {
  if (!isObject(entry)) return null;
  if (isObject(entry.function) && "name" in entry.function) return "OpenAI";
  if (!("name" in entry)) return null;
  if ("inputSchema" in entry) return "MCP";
  if ("parameters" in entry || entry.type === "function") return "OpenAI";
  if (entry.type === "custom" || "cache_control" in entry) return "Anthropic";
  const least = ["name", "description", "input_schema"];
  return Object.keys(entry).every((member) => least.includes(member)) ? "plain" : "Odyssey";
}

const VENDOR_MEMBERS = ["strict", "cache_control", "annotations", "title", "_meta"];

/** The same tool under our names, without what only concerns the vendor's own API. */
export function inOurShape(entry: unknown): unknown {
  const shape = shapeOf(entry);
  if (!isObject(entry) || shape === null || shape === "Odyssey") return entry;
  const { function: nested, ...outer } = entry;
  const flat: JsonObject = isObject(nested) ? { ...nested, ...outer } : { ...entry };
  for (const member of VENDOR_MEMBERS) delete flat[member];
  if (flat.type === "function" || flat.type === "custom") delete flat.type;
  rename(flat, "parameters", "input_schema");
  rename(flat, "inputSchema", "input_schema");
  rename(flat, "outputSchema", "output_schema");
  return flat;
}

function rename(entry: JsonObject, from: string, to: string) {
  if (!(from in entry) || to in entry) return;
  entry[to] = entry[from];
  delete entry[from];
}

/** The draft with what was recognised; fields it says nothing about stay as they are. */
export function filled(draft: AgentDraft, found: Recognised, merge: boolean): AgentDraft {
  const { name, description, mode, config, ledger_schema } = found.registration;
  const next: AgentDraft = { ...draft };
  if (typeof name === "string") next.name = name;
  if (typeof description === "string") next.description = description;
  if (mode === "http" || mode === "code") next.mode = mode;
  if (isObject(config)) {
    const { authHeaderValue, ...fields } = configFields({ ...configOf(draft), ...config });
    Object.assign(next, fields, authHeaderValue === undefined ? {} : { authHeaderValue });
  }
  if ("ledger_schema" in found.registration) {
    next.ledgerSchema = ledger_schema == null ? BLANK : written(ledger_schema);
  }
  if (found.tools) next.tools = merge ? mergedTools(draft.tools, found.tools) : found.tools.map(toolDraft);
  return next;
}

/** A tool of the same name takes the old one's place. */
function mergedTools(before: ToolDraft[], added: unknown[]): ToolDraft[] {
  const incoming = new Map(added.map((tool) => [nameOf(tool), toolDraft(tool)]));
  const kept = before.map((tool) => {
    const replacement = incoming.get(nameOf(tool.value));
    incoming.delete(nameOf(tool.value));
    return replacement ?? tool;
  });
  return [...kept, ...incoming.values()];
}

export function nameOf(tool: unknown): string {
  if (!isObject(tool)) return "";
  const name = isObject(tool.function) ? tool.function.name : tool.name;
  return typeof name === "string" ? name : "";
}

const countOf = (tools: number) => (tools === 1 ? "1 tool" : `${tools} tools`);
