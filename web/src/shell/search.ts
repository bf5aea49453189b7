/** Reading what stands behind the `?` of an address: anybody may have typed it, so nothing is trusted. */
export function text(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A name of ours, such as an error class. */
export function word(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-z0-9_]{1,64}$/.test(value) ? value : undefined;
}

/** A tag of a scenario. */
export function tag(value: unknown): string | undefined {
  const written = text(value);
  return written !== undefined && /^[a-z0-9][a-z0-9_.:/-]{0,63}$/.test(written) ? written : undefined;
}

export function scenarioId(value: unknown): string | undefined {
  if (typeof value !== "string" || !value.startsWith("scn_")) return undefined;
  return uuid(value.slice(4)) && value;
}

export function uuid(value: unknown): string | undefined {
  return typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)
    ? value
    : undefined;
}

export function yesNo(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

export function whole(value: unknown): number | undefined {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

export function oneOf<const Choice extends string>(
  value: unknown,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === value);
}

export function someOf<const Choice extends string>(
  value: unknown,
  choices: readonly Choice[],
): Choice[] | undefined {
  const given = Array.isArray(value) ? value : [value];
  const chosen = choices.filter((choice) => given.includes(choice));
  return chosen.length > 0 ? chosen : undefined;
}

/** The same search without what is undefined, so that addresses stay short. */
export function compact<T extends object>(search: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as never;
}
