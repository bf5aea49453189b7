/** JSON values as they are compared: what is the same, and how much of it. As the server counts, by leaves. */
import { writeJson } from "~/api/json";
import { bestTotal } from "~/components/comparison/diff/align";
import { sharedWords } from "~/components/comparison/diff/words";
import { jsonEqual } from "~/components/json-equal";

export type Members = Record<string, unknown>;

const PROSE_WORDS = 6;
const MOST_COMPARISONS = 40_000;

export function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** From 0, nothing in common, to 1, the same. */
export function overlap(left: unknown, right: unknown): number {
  if (jsonEqual(left, right)) return 1;
  return (2 * shared(left, right)) / (leaves(left) + leaves(right));
}

/** The same text for what is the same value, whatever the order of its members. */
export function canonical(value: unknown): string {
  return writeJson(sorted(value), 0);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMembers(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

function leaves(value: unknown): number {
  const inside = typeof value === "object" && value !== null ? Object.values(value) : [];
  return inside.length === 0 ? 1 : inside.reduce<number>((total, each) => total + leaves(each), 0);
}

function shared(left: unknown, right: unknown): number {
  if (isMembers(left) && isMembers(right)) {
    const names = Object.keys(left).filter((name) => Object.hasOwn(right, name));
    if (Object.keys(left).length > 0 && Object.keys(right).length > 0)
      return names.reduce((total, name) => total + shared(left[name], right[name]), 0);
  } else if (Array.isArray(left) && Array.isArray(right) && left.length > 0 && right.length > 0) {
    return sharedItems(left, right);
  }
  if (jsonEqual(left, right)) return 1;
  return typeof left === "string" && typeof right === "string" ? sharedWords(left, right, PROSE_WORDS) : 0;
}

function sharedItems(left: unknown[], right: unknown[]): number {
  if (leaves(left) * leaves(right) > MOST_COMPARISONS) {
    return left.reduce<number>(
      (total, item, at) => total + (at < right.length ? shared(item, right[at]) : 0),
      0,
    );
  }
  return bestTotal(
    left.map((ours) => right.map((theirs) => shared(ours, theirs))),
    right.length,
  );
}
