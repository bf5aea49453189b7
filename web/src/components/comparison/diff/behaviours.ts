/** Two behaviours part by part, and where they first part ways. */
import type { Behaviour, Part } from "~/api/evals";
import { type CallRow, compareCalls } from "~/components/comparison/diff/calls";
import { jsonLines, type Line } from "~/components/comparison/diff/json-lines";
import { ledgerTree } from "~/components/comparison/diff/ledger-tree";
import { compareTexts, type Texts } from "~/components/comparison/diff/words";

/** What is shown side by side. */
export type Section = "failure" | "structured" | "calls" | "ledger" | "text";

/** Where each part of the distance is seen. */
export const SECTION_OF: Record<Part, Section> = {
  failure: "failure",
  decision: "structured",
  effects: "ledger",
  reads: "calls",
  text: "text",
};

export interface Compared {
  /** Whether the parts are: a failure of the agent's own is compared with nothing but another. */
  compared: boolean;
  structured: Line[];
  calls: CallRow[];
  ledger: Line[];
  texts: Texts;
  /** How often each part differs. */
  counts: Record<Section, number>;
  first: { part: Section; where: string } | null;
}

/** In the order they are read. */
export const SECTIONS: Section[] = ["failure", "structured", "calls", "ledger", "text"];

const NOTHING: Behaviour = {
  structured: null,
  calls: [],
  ledger: null,
  text: "",
  failure: null,
  effects: [],
  undone: [],
  named: [],
  claimed: [],
};

/** null: a run that says nothing of the agent, or nothing yet; then the other is shown and nothing differs. */
export function compareBehaviours(before: Behaviour | null, after: Behaviour | null): Compared {
  const [left, right] = [before ?? NOTHING, after ?? NOTHING];
  const failed = left.failure !== null || right.failure !== null;
  const compared = before !== null && after !== null && !failed;
  const structured = jsonLines(left.structured, right.structured);
  const calls = compareCalls(left.calls, right.calls);
  const ledger = jsonLines(ledgerTree(left), ledgerTree(right), "ledger");
  const texts = compareTexts(left.text, right.text);
  const wheres: Record<Section, string[]> = {
    failure: before !== null && after !== null && left.failure !== right.failure ? ["error_class"] : [],
    structured: compared ? begun(structured) : [],
    calls: compared ? calls.filter(({ same }) => !same).map(({ where }) => where) : [],
    ledger: compared ? begun(ledger) : [],
    text: compared ? texts.hunks : [],
  };
  const part = SECTIONS.find((each) => wheres[each].length > 0);
  return {
    compared,
    structured,
    calls,
    ledger,
    texts,
    counts: Object.fromEntries(SECTIONS.map((each) => [each, wheres[each].length])) as Record<
      Section,
      number
    >,
    first: part === undefined ? null : { part, where: wheres[part][0] ?? "" },
  };
}

function begun(lines: Line[]): string[] {
  return lines.filter(({ begins }) => begins).map(({ path }) => path);
}
