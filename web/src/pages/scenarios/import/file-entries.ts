/** Where each scenario of a file stands, so that a fault can be found in it. */
import { isObject, readStrict } from "~/components/rules/json-text";

export interface FileEntry {
  name: string | null;
  /** From 1; null where lines say nothing. */
  line: number | null;
}

const FIRST_ITEM = /^( *)- /m;
const NAME = /^(?:name|"name"|'name'):\s*(.+?)\s*$/;

export const isJson = (text: string) => /^\s*[[{]/.test(text);

/** In the order of the file, as far as it can be read here: what it means is for the server to say. */
export function entriesIn(text: string): FileEntry[] {
  return isJson(text) ? jsonEntries(text) : yamlEntries(text);
}

function jsonEntries(text: string): FileEntry[] {
  const document = readStrict(text);
  const rows = isObject(document) ? (document.scenarios ?? [document]) : document;
  return Array.isArray(rows) ? rows.map((row) => ({ name: nameOf(row), line: null })) : [];
}

function nameOf(row: unknown): string | null {
  return isObject(row) && typeof row.name === "string" && row.name !== "" ? row.name : null;
}

/** An item of the outermost list begins with a dash in its column; whatever belongs to it stands further right. */
function yamlEntries(text: string): FileEntry[] {
  const lines = text.split(/\r?\n/);
  const indent = FIRST_ITEM.exec(text)?.[1];
  const listed = indent !== undefined && !lines.some((line) => /^(?:name|risk_level)\s*:/.test(line));
  if (!listed) return text.trim() === "" ? [] : [{ name: nameIn(lines, ""), line: 1 }];
  const starts = lines.flatMap((line, index) => (line.startsWith(`${indent}- `) ? [index] : []));
  return starts.map((start, number) => {
    const item = lines.slice(start, starts[number + 1]);
    const opened = [`${indent}  ${item[0]?.slice(indent.length + 2)}`, ...item.slice(1)];
    return { name: nameIn(opened, `${indent}  `), line: start + 1 };
  });
}

function nameIn(lines: string[], indent: string): string | null {
  for (const line of lines) {
    const member = line.startsWith(indent) ? NAME.exec(line.slice(indent.length)) : null;
    if (member?.[1] !== undefined) return member[1].replace(/^(["'])(.*)\1$/, "$2");
  }
  return null;
}
