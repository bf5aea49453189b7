/** Two JSON values as lines side by side: one for every member and item, with those marked that differ. */
import { writeJson } from "~/api/json";
import { commonPairs, type Row, rowsOf } from "~/components/comparison/diff/align";
import { canonical, isMembers } from "~/components/comparison/diff/json";
import { jsonEqual } from "~/components/json-equal";

/** What a line shows of one side; undefined: it has nothing there. */
export type Shown = { kind: "string" | "number" | "word" | "head"; text: string } | undefined;

export interface Line {
  path: string;
  depth: number;
  name: string | null;
  left: Shown;
  right: Shown;
  same: boolean;
  /** It is where a difference begins; what lies below on one side only belongs to it. */
  begins: boolean;
}

const ABSENT = Symbol("absent");
type Side = unknown | typeof ABSENT;

interface Place {
  path: string;
  name: string | null;
  depth: number;
  /** A difference began above already. */
  inside: boolean;
}

const MOST_COMPARISONS = 40_000;

/** What both are; `undefined` stands for a value that is not there. */
export function jsonLines(left: unknown, right: unknown, path = "$"): Line[] {
  const [ours, theirs] = [left ?? ABSENT, right ?? ABSENT];
  const place: Place = { path, name: null, depth: 0, inside: false };
  if (isMembers(left) && isMembers(right)) return members(left, right, place);
  if (ours === ABSENT && theirs === ABSENT) return [];
  if (ours !== ABSENT && theirs !== ABSENT) return lines(ours, theirs, place);
  const only = ours === ABSENT ? theirs : ours;
  if (!isMembers(only) || Object.keys(only).length === 0) return lines(ours, theirs, place);
  const below = members(ours === ABSENT ? {} : only, ours === ABSENT ? only : {}, { ...place, inside: true });
  return below.map((line, at) => (at === 0 ? { ...line, path, begins: true } : line));
}

function lines(left: Side, right: Side, place: Place): Line[] {
  if (isMembers(left) && isMembers(right) && filled(left, right)) {
    return [head(place), ...members(left, right, below(place))];
  }
  if (Array.isArray(left) && Array.isArray(right) && filled(left, right)) {
    return [head(place), ...items(left, right, below(place))];
  }
  if (left === ABSENT || right === ABSENT) return oneSided(left, right, place);
  const same = jsonEqual(left, right);
  return [line(place, { left: shown(left), right: shown(right), same })];
}

/** Nothing to compare it with: all of it differs, once. */
function oneSided(left: Side, right: Side, place: Place): Line[] {
  const value = left === ABSENT ? right : left;
  const put = (what: Shown) =>
    left === ABSENT ? { left: undefined, right: what } : { left: what, right: undefined };
  const parts = Object.entries(typeof value === "object" && value !== null ? value : {});
  if (parts.length === 0) return [line(place, { ...put(shown(value)), same: false })];
  const within = { ...below(place), inside: true };
  const list = Array.isArray(value);
  return [
    line(place, { ...put({ kind: "head", text: "" }), same: false }),
    ...parts.flatMap(([name, member]) => {
      const at = step(within, name, list);
      return left === ABSENT ? oneSided(ABSENT, member, at) : oneSided(member, ABSENT, at);
    }),
  ];
}

function members(left: Record<string, unknown>, right: Record<string, unknown>, place: Place): Line[] {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].flatMap((name) =>
    lines(member(left, name), member(right, name), step(place, name, false)),
  );
}

function items(left: unknown[], right: unknown[], place: Place): Line[] {
  return itemRows(left, right).flatMap(([ours, theirs]) =>
    lines(
      ours === null ? ABSENT : left[ours],
      theirs === null ? ABSENT : right[theirs],
      step(place, String(ours ?? theirs), true),
    ),
  );
}

function itemRows(left: unknown[], right: unknown[]): Row[] {
  const [ours, theirs] = [left.map(canonical), right.map(canonical)];
  const pairs = commonPairs(ours, theirs, MOST_COMPARISONS);
  const placed = () =>
    Array.from({ length: Math.min(left.length, right.length) }, (_, at): [number, number] => [at, at]);
  return rowsOf(pairs ?? placed(), left.length, right.length);
}

function member(of: Record<string, unknown>, name: string): Side {
  return Object.hasOwn(of, name) ? of[name] : ABSENT;
}

function filled(...both: object[]): boolean {
  return both.some((each) => Object.keys(each).length > 0);
}

function step(place: Place, name: string, item: boolean): Place {
  const written = item ? `[${name}]` : name;
  return { ...place, path: item ? place.path + written : `${place.path}.${name}`, name: written };
}

function below(place: Place): Place {
  return { ...place, depth: place.name === null ? 0 : place.depth + 1 };
}

function head(place: Place): Line {
  const nothing = { kind: "head", text: "" } as const;
  return line(place, { left: nothing, right: nothing, same: true });
}

function line({ path, depth, name, inside }: Place, sides: Pick<Line, "left" | "right" | "same">): Line {
  return { path, depth, name, ...sides, begins: !sides.same && !inside };
}

function shown(value: unknown): Shown {
  if (typeof value === "string") return { kind: "string", text: JSON.stringify(value) };
  const text = writeJson(value, 0);
  return { kind: typeof value === "number" || typeof value === "bigint" ? "number" : "word", text };
}
