const LONG_NUMBER = /\d{16}/;

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

const keepLongIntegers: Reviver = (_key, value, context) => {
  if (typeof value !== "number" || Number.isSafeInteger(value) || !context?.source) return value;
  return /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
};

/** JSON whose integers beyond 2^53 become BigInt, where the browser tells us how they were written. */
export function readJson(text: string): unknown {
  if (text === "") return undefined;
  return LONG_NUMBER.test(text) ? JSON.parse(text, keepLongIntegers as never) : JSON.parse(text);
}

export function writeJson(value: unknown, indent = 2): string {
  const raw = (JSON as unknown as { rawJSON?: (text: string) => unknown }).rawJSON;
  const replace = (_key: string, member: unknown) =>
    typeof member === "bigint" ? (raw ? raw(String(member)) : Number(member)) : member;
  return JSON.stringify(value, replace, indent) ?? "undefined";
}
