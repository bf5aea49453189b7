import { readJson, writeJson } from "~/api/json";

/** A text somebody is typing: its value once it is JSON, what is wrong until then. Blank is undefined. */
export interface JsonText {
  text: string;
  value: unknown;
  broken: string | null;
}

export function jsonText(text: string): JsonText {
  if (text.trim() === "") return { text, value: undefined, broken: null };
  try {
    return { text, value: readJson(text), broken: null };
  } catch (error) {
    return { text, value: undefined, broken: error instanceof Error ? error.message : String(error) };
  }
}

export function written(value: unknown): JsonText {
  return { text: writeJson(value), value, broken: null };
}

export const BLANK = jsonText("");
