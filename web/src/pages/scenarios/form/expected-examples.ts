/** Things to expect, to begin with: of the answer's JSON object, and of what lies beyond it. */
import { writeJson } from "~/api/json";
import { CHECKS, type TemplateContext } from "~/components/check-templates";
import { objectIn } from "~/pages/scenarios/form/draft";

export interface Example {
  title: string;
  help: string;
  /** The member it adds; a list is added to one that is there. */
  make: (known: Known) => [name: string, value: unknown];
}

export type Known = Pick<TemplateContext, "tools" | "entityTypes">;

export const IN_THE_ANSWER: Example[] = [
  { title: "A value", help: "A member is exactly this", make: () => ["decision", "refuse"] },
  { title: "A limit", help: "$lte, $lt, $gte, $gt", make: () => ["amount", { $lte: 100 }] },
  {
    title: "A choice",
    help: "One of several values",
    make: () => ["decision", { $in: ["refund", "voucher"] }],
  },
  {
    title: "A pattern",
    help: "A text matches a regular expression (RE2)",
    make: () => ["reason", { $regex: "dead-?line" }],
  },
  { title: "Presence", help: "A member is there, or is not", make: () => ["reason", { $exists: true }] },
];

export const BEYOND_IT: Example[] = [
  check("$calls", "called", "A tool was called"),
  check("$calls", "not_called", "A tool was not called"),
  check("$ledger", "ledger", "The world holds a value in the end"),
  check("$text", "final_response, contains", "The final response has these words"),
];

function check(key: string, template: string, help: string): Example {
  return {
    title: `${key}: ${template.split(",")[0]}`,
    help,
    make: (known) => {
      const found = CHECKS.find(({ title }) => title === template);
      return [key, [found?.make({ ...known, place: null, there: [] })]];
    },
  };
}

/** The document with the example in it; null when what is there is no object. */
export function withExample(text: string, { make }: Example, known: Known): string | null {
  const there = objectIn(text);
  if (there === null) return null;
  const [name, value] = make(known);
  const before = there[name];
  if (Array.isArray(value)) {
    return writeJson({ ...there, [name]: [...(Array.isArray(before) ? before : []), ...value] });
  }
  return writeJson({ ...there, [freeName(there, name)]: value });
}

function freeName(there: Record<string, unknown>, wanted: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}_${number}`;
    if (!Object.hasOwn(there, name)) return name;
  }
}
