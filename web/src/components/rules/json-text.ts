/** JSON that people write into fields: read when it can be, kept as it stands until then. */
import { readJson, writeJson } from "~/api/json";
import type { FieldError } from "~/api/problem";

/** Text where JSON belongs, not yet readable as such. */
export class Unread {
  constructor(readonly text: string) {}
}

const MARK = "\uE000unread-";
const OPENS_JSON = /^\s*["[{]/;

/** Nothing written is `undefined`: a member that is not there. */
export function readStrict(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return readJson(text);
  } catch {
    return new Unread(text);
  }
}

/** As strict, but a bare word is the text it spells: `ord_7` needs no quotes. */
export function readLoose(text: string): unknown {
  if (text.trim() === "") return new Unread("");
  const value = readStrict(text);
  return value instanceof Unread && !OPENS_JSON.test(text) ? text : value;
}

/** What `readLoose` reads back as the same value. */
export function looseText(value: unknown): string {
  return typeof value === "string" && readLoose(value) === value ? value : writeJson(value, 0);
}

/** Digits and the like as a number; anything else as the text it is, for the server to refuse at its place. */
export function readNumber(text: string): unknown {
  const value = readStrict(text);
  if (typeof value === "bigint") return value;
  return typeof value === "number" && Number.isFinite(value) ? value : text;
}

/** The document with every unread part exactly as it was typed: then it is no JSON, but nothing is lost. */
export function writeAsTyped(value: unknown): string {
  const texts: string[] = [];
  const marked = replaceUnread(value, (unread) => `${MARK}${texts.push(unread.text) - 1}`);
  return texts.reduce(
    (json, text, index) => json.replace(`"${MARK}${index}"`, () => text),
    writeJson(marked),
  );
}

export function unreadIn(value: unknown, at: (string | number)[] = []): FieldError[] {
  if (value instanceof Unread) return [{ loc: at, msg: unreadMessage(value) }];
  if (Array.isArray(value)) return value.flatMap((item, index) => unreadIn(item, [...at, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => unreadIn(member, [...at, name]));
}

function unreadMessage({ text }: Unread): string {
  return text === "" ? "write a value" : "this is not JSON yet";
}

function replaceUnread(value: unknown, by: (unread: Unread) => unknown): unknown {
  if (value instanceof Unread) return by(value);
  if (Array.isArray(value)) return value.map((item) => replaceUnread(item, by));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceUnread(member, by)]));
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Unread);
}

/** Equal as JSON: the order of members does not matter, an undefined member is none. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (isObject(a) && isObject(b)) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...names].every((name) => sameJson(a[name], b[name]));
  }
  return a === b;
}
