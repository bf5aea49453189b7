/** `expected_behavior` leaf by leaf, as a person reads it. */
import { writeJson } from "~/api/json";
import { isObject } from "~/components/rules/json-text";

export interface Leaf {
  /** The path in the answer, or the kind of a check. */
  where: string;
  what: string;
}

export interface ReadExpected {
  answer: Leaf[];
  /** The checks below each reserved key. */
  beyond: [key: string, checks: Leaf[]][];
}

const WORDS: Record<string, string> = {
  $eq: "is",
  $ne: "is not",
  $gt: "is above",
  $gte: "is at least",
  $lt: "is below",
  $lte: "is at most",
  $in: "is one of",
  $nin: "is none of",
  $contains: "contains",
  $regex: "matches",
};

export function readExpected(expected: Record<string, unknown>): ReadExpected {
  const members = Object.entries(expected);
  const reserved = members.filter(([name]) => name.startsWith("$"));
  const others = members.filter(([name]) => !name.startsWith("$"));
  return {
    answer: others.flatMap(([name, value]) => leaves([name], value)),
    beyond: reserved.map(([key, checks]) => [key, checksIn(checks)]),
  };
}

function leaves(path: string[], value: unknown): Leaf[] {
  const where = path.join(".");
  if (!isObject(value) || Object.keys(value).length === 0) return [{ where, what: `is ${shown(value)}` }];
  const members = Object.entries(value);
  if (!members.some(([name]) => name.startsWith("$"))) {
    return members.flatMap(([name, below]) => leaves([...path, name], below));
  }
  return [{ where, what: members.map(relation).join(" and ") }];
}

function relation([operator, operand]: [string, unknown]): string {
  if (operator === "$exists") return operand === false ? "is absent" : "is there";
  const listed = (operator === "$in" || operator === "$nin") && Array.isArray(operand);
  return `${WORDS[operator] ?? operator} ${listed ? operand.map(shown).join(", ") : shown(operand)}`;
}

/** One or more checks, each with what it asks for: "tool: create_payment, count: 1". */
function checksIn(checks: unknown): Leaf[] {
  if (!Array.isArray(checks)) return [];
  return checks.filter(isObject).flatMap((check) =>
    Object.entries(check).map(([kind, asked]) => ({
      where: kind,
      what: isObject(asked)
        ? Object.entries(asked)
            .map(([name, value]) => `${name}: ${bare(value)}`)
            .join(", ")
        : bare(asked),
    })),
  );
}

function bare(value: unknown): string {
  if (Array.isArray(value)) return value.map(bare).join(", ");
  return typeof value === "string" ? value : shown(value);
}

function shown(value: unknown): string {
  return writeJson(value, 0);
}
