/** What was pasted or dropped: CSV or JSON, and the columns in it, for choosing the one that holds ids. */
import { isObject, readStrict, Unread } from "~/components/rules/json-text";

export type Format = "csv" | "json";

export interface Records {
  format: Format;
  columns: string[];
  /** Objects by id: no column needs to hold it. */
  keyed: boolean;
  /** Why it cannot be sent; null when it can. */
  problem: string | null;
}

const ROWS_LOOKED_AT = 200;

export function recordsIn(text: string): Records | null {
  if (text.trim() === "") return null;
  return /^\s*[[{]/.test(text) ? jsonRecords(text) : csvRecords(text);
}

function jsonRecords(text: string): Records {
  const value = readStrict(text);
  const found = { format: "json" as const, columns: [], keyed: isObject(value) };
  if (value instanceof Unread) return { ...found, problem: "This is not JSON yet." };
  const rows = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  const columns = new Set<string>();
  for (const row of rows.slice(0, ROWS_LOOKED_AT)) {
    if (!isObject(row)) {
      return { ...found, problem: "It must be a list of objects, or objects by id." };
    }
    for (const name of Object.keys(row)) columns.add(name);
  }
  return { ...found, columns: [...columns], problem: null };
}

function csvRecords(text: string): Records {
  const columns = headerOf(text);
  const problem =
    columns.length < 2 && !text.includes("\n") ? "It needs a line of column names, and rows." : null;
  return { format: "csv", columns, keyed: false, problem };
}

/** The names of the first line, quoted or not. */
function headerOf(text: string): string[] {
  const names: string[] = [];
  let name = "";
  let quoted = false;
  for (let at = text.startsWith("\uFEFF") ? 1 : 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (quoted && character === '"' && text[at + 1] === '"') {
      name += '"';
      at++;
    } else if (character === '"') quoted = !quoted;
    else if (!quoted && (character === "," || character === "\n" || character === "\r")) {
      names.push(name.trim());
      name = "";
      if (character !== ",") return names.filter(Boolean);
    } else name += character;
  }
  return [...names, name.trim()].filter(Boolean);
}

/** `order_id` for orders, else `id`, else the first column that ends so, else the first. */
export function likelyIdField(columns: string[], type: string): string | null {
  const singular = type.replace(/s$/, "");
  const wanted = [`${type}_id`, `${singular}_id`, "id"];
  return (
    wanted.find((name) => columns.includes(name)) ??
    columns.find((name) => /(^|_)(id|key|number|code)$/i.test(name)) ??
    columns[0] ??
    null
  );
}
