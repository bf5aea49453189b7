/** What a line can say, with an example of each for the tools and entities at hand. */
import { isObject } from "~/components/rules/json-text";
import type { ToolInfo } from "~/components/rules/tools";

export interface Known {
  tools: ToolInfo[];
  entityTypes: string[];
  /** What the world holds, where it is known. */
  state?: Record<string, unknown> | undefined;
  /** The tool that examples are about. */
  tool?: ToolInfo | undefined;
}

export interface Act {
  /** The words that make the line one of this kind. */
  words: string;
  about: string;
  example: (parts: Parts) => string;
}

/** What examples are made of. */
interface Parts {
  tool: string;
  type: string;
  field: string;
  /** As an expression. */
  value: string;
}

export const ACTS: Act[] = [
  {
    words: "only when",
    about: "Refused unless it holds. The code is not_found, conflict or bad_value.",
    example: ({ tool, type, field, value }) =>
      `${tool} only when ${type}.${field} == ${value} else conflict "The ${type} is {${type}.${field}}"`,
  },
  {
    words: "fails when",
    about: "Refused if it holds.",
    example: ({ tool, type }) => `${tool} fails when ${type} == null with not_found "No such ${type}"`,
  },
  {
    words: "let",
    about: "A name for later lines of the same tools.",
    example: ({ tool, type, field }) => `${tool} let before = ${type}.${field}`,
  },
  {
    words: "sets",
    about: "A field gets a value. Any change can have a condition: TOOL when … sets …",
    example: ({ tool, type, field, value }) => `${tool} sets ${type}.${field} = ${value}`,
  },
  {
    words: "appends",
    about: "A list gets one more element.",
    example: ({ tool, type, field }) => `${tool} appends ${type}.${field} to ${type}.history`,
  },
  {
    words: "adds",
    about: "A new entity; without an id it is given one.",
    example: ({ tool, type, field, value }) => `${tool} adds ${type} {${field}: ${value}}`,
  },
  {
    words: "removes",
    about: "The entity that the call is about is gone.",
    example: ({ tool, type }) => `${tool} removes ${type}`,
  },
  {
    words: "sets flag",
    about: "Something to remember that is no entity.",
    example: ({ tool }) => `${tool} sets flag "${tool} was called"`,
  },
  {
    words: "clears flag",
    about: "The flag is no longer set.",
    example: ({ tool }) => `${tool} clears flag "${tool} was called"`,
  },
  {
    words: "returns",
    about: "What the tool answers, looked up after the call.",
    example: ({ tool, type }) => `${tool} returns ${type}`,
  },
  {
    words: "changes nothing else",
    about: "Only what lines say is changed, nothing that the tool’s name suggests.",
    example: ({ tool }) => `${tool} changes nothing else`,
  },
];

const USUAL: Parts = { tool: "update_order", type: "order", field: "status", value: '"pending"' };
const WRITES = /^(?:update|cancel|change|modify|set|edit|create|delete|remove)/i;
const IS_NAME = /^[A-Za-z_]\w*$/;

export function partsOf(known: Known): Parts {
  const tool = known.tool ?? known.tools.find(({ name }) => WRITES.test(name)) ?? known.tools[0];
  if (tool === undefined) return USUAL;
  const types = known.entityTypes.filter((type) => IS_NAME.test(type));
  const type = types.find((each) => isAbout(tool, each)) ?? types[0];
  if (type === undefined) return { ...USUAL, tool: tool.name };
  return { tool: tool.name, type, ...fieldOf(known.state?.[type]) };
}

function isAbout(tool: ToolInfo, type: string): boolean {
  const taken = isObject(tool.inputSchema.properties) ? Object.keys(tool.inputSchema.properties) : [];
  return taken.some((name) => [`${type}_id`, `${type}Id`, type].includes(name));
}

/** A field that says how something stands, and its value in the first entity. */
function fieldOf(entities: unknown): Pick<Parts, "field" | "value"> {
  const plain = Object.entries(firstOf(entities)).filter(
    ([name, value]) => IS_NAME.test(name) && typeof value === "string",
  );
  const [name, value] =
    plain.find(([name]) => /status|state/.test(name)) ?? plain.find(([name]) => !/id$/i.test(name)) ?? [];
  return name === undefined
    ? { field: USUAL.field, value: USUAL.value }
    : { field: name, value: JSON.stringify(value) };
}

/** The fields of the first entity of a type. What is written by hand may hold anything. */
export function firstOf(entities: unknown): Record<string, unknown> {
  const [first] = isObject(entities) ? Object.values(entities) : [];
  return isObject(first) ? first : {};
}
