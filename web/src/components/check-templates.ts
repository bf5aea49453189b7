/** A check of every kind and a question of every form to begin with, made of what the task already names. */
import { writeJson } from "~/api/json";
import { isObject, readStrict } from "~/components/rules/json-text";
import type { ToolInfo } from "~/components/rules/tools";

export interface Template {
  title: string;
  help: string;
  make: (context: TemplateContext) => unknown;
}

export interface TemplateContext {
  tools: ToolInfo[];
  entityTypes: string[];
  /** A path into the ledger and the value there, as the world begins. */
  place: [path: string, value: unknown] | null;
  /** What the list holds so far. */
  there: unknown[];
}

export const CHECKS: Template[] = [
  {
    title: "final_response, contains",
    help: "The answer holds these words; case does not matter",
    make: () => ({ final_response: { contains: "refund" } }),
  },
  {
    title: "final_response, regex",
    help: "A pattern (RE2) is found in the answer",
    make: () => ({ final_response: { regex: "ord_[0-9]+" } }),
  },
  {
    title: "final_response, json_schema",
    help: "The JSON in the answer fits a schema",
    make: () => ({ final_response: { json_schema: { type: "object", required: ["status"] } } }),
  },
  {
    title: "called",
    help: "A tool was called and the call succeeded, with these arguments and this often",
    make: (context) => ({ called: { tool: tool(context, 0), args: exampleArgs(context), count: 1 } }),
  },
  {
    title: "not_called",
    help: "A tool was not even tried",
    make: (context) => ({ not_called: { tool: tool(context, 0) } }),
  },
  {
    title: "order",
    help: "These tools were called in this order, and the calls succeeded",
    make: (context) => ({ order: [tool(context, 0), tool(context, 1)] }),
  },
  {
    title: "ledger",
    help: "The world holds a value in the end",
    make: ({ place, entityTypes }) => {
      const [path, value] = place ?? [`$.${entityTypes[0] ?? "order"}.*.status`, "cancelled"];
      return { ledger: { [path]: value } };
    },
  },
  {
    title: "only_changed",
    help: "Nothing beside these was changed at any moment, not even for a while",
    make: ({ place, entityTypes }) => ({ only_changed: [place?.[0] ?? entityTypes[0] ?? "order"] }),
  },
  {
    title: "untouched",
    help: "Nothing was written here at any moment",
    make: ({ entityTypes }) => ({ untouched: [entityTypes[1] ?? "customer"] }),
  },
  { title: "flag", help: "A flag is set in the end", make: () => ({ flag: "escalated" }) },
  { title: "no_flag", help: "A flag is not set in the end", make: () => ({ no_flag: "escalated" }) },
  {
    title: "policy, before",
    help: "The second tool only after the first",
    make: (context) => ({ policy: { before: [tool(context, 0), tool(context, 1)] } }),
  },
  {
    title: "policy, never",
    help: "A tool, or all that match, is never called",
    make: (context) => ({ policy: { never: tool(context, 0) } }),
  },
];

export const QUESTIONS: Template[] = [
  {
    title: "Yes or no",
    help: "Passes with the answer you choose, yes at first",
    make: (context) => ({
      id: freeId(context, "polite"),
      question: "Is the final response polite?",
      answer: "yes_no",
      pass: true,
    }),
  },
  {
    title: "Scale of 1 to 5",
    help: "Passes from the answer you choose on",
    make: (context) => ({
      id: freeId(context, "clear"),
      question: "How clearly does the final response say what was done?",
      answer: "scale",
      pass: 4,
    }),
  },
  {
    title: "Choice",
    help: "Passes with one of the texts",
    make: (context) => ({
      id: freeId(context, "tone"),
      question: "Which tone does the final response have?",
      answer: ["friendly", "neutral", "hostile"],
      pass: "friendly",
    }),
  },
];

/** The list with the template at its end; null when what is there is no list. */
export function withTemplate(text: string, template: Template, context: Omit<TemplateContext, "there">) {
  const there = listIn(text);
  return there === null ? null : writeJson([...there, template.make({ ...context, there })]);
}

/** What a field holds; null when that cannot be read as a list. */
export function listIn(text: string): unknown[] | null {
  const value = readStrict(text) ?? [];
  return Array.isArray(value) ? value : null;
}

function tool({ tools }: TemplateContext, index: number): string {
  const changing = tools.find(({ name }) => !/^(get|list|search|find|read)_/.test(name));
  const ordered = index === 0 ? [changing ?? tools[0]] : tools.filter((one) => one !== changing);
  return ordered[0]?.name ?? ["update_order", "get_order"][index] ?? "update_order";
}

/** The first required argument of the tool, to be filled in. */
function exampleArgs(context: TemplateContext): Record<string, unknown> {
  const schema = context.tools.find(({ name }) => name === tool(context, 0))?.inputSchema;
  const required = Array.isArray(schema?.required) ? schema.required.slice(0, 1) : [];
  return Object.fromEntries(required.map((name) => [String(name), { $exists: true }]));
}

function freeId({ there }: TemplateContext, wanted: string): string {
  const taken = new Set(there.map((question) => (isObject(question) ? question.id : null)));
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? wanted : `${wanted}_${number}`;
    if (!taken.has(id)) return id;
  }
}

/** The first plain value of the first entity, as a path. */
export function placeIn(state: unknown): TemplateContext["place"] {
  const [type, entities] = (isObject(state) ? Object.entries(state)[0] : null) ?? [];
  const [id, fields] = (isObject(entities) ? Object.entries(entities)[0] : null) ?? [];
  if (type === undefined || id === undefined || !isObject(fields)) return null;
  const plain = Object.entries(fields).filter(([, value]) => typeof value !== "object");
  const [field, value] = plain.find(([name]) => name === "status") ?? plain.at(-1) ?? [];
  return field === undefined ? null : [`$${[type, id, field].map(segment).join("")}`, value];
}

/** One step of an RFC 9535 path. */
function segment(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
