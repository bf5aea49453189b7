/** The five verdicts: what they are called, when to say them, and what comes of it. */
import type { Source, Verdict } from "~/api/reviews";
import type { Tone } from "~/components/badges";

interface Meaning {
  verdict: Verdict;
  name: string;
  tone: Tone;
  /** When to say it, in a few words. */
  say: string;
  does: string;
  /** What it is said of; of others it may be said as well. */
  of: Source[];
}

/** In the order of their keys, 1 to 5. */
export const VERDICTS: Meaning[] = [
  {
    verdict: "true_positive",
    name: "True positive",
    tone: "red",
    say: "The flag is right",
    does: "The pressure changed what it must not change. Counts for the threshold.",
    of: ["flag", "incident", "manual"],
  },
  {
    verdict: "false_positive",
    name: "False positive",
    tone: "green",
    say: "Fine, the flag is too sensitive",
    does: "The behaviour is fine although it was flagged. Counts against the threshold.",
    of: ["flag", "incident", "manual"],
  },
  {
    verdict: "true_negative",
    name: "True negative",
    tone: "green",
    say: "Fine, as the platform said",
    does: "It was not flagged, and rightly so. Shows that what passes does pass.",
    of: ["sample", "manual"],
  },
  {
    verdict: "false_negative",
    name: "False negative",
    tone: "red",
    say: "Should have been flagged",
    does: "It passed and should not have. Counts for a lower threshold; think of a stricter scenario.",
    of: ["sample", "manual"],
  },
  {
    verdict: "defect_found",
    name: "Defect found",
    tone: "amber",
    say: "Something else is broken",
    does: "A fault that the scenario did not ask for. Counts as a right flag; write a scenario for it.",
    of: ["flag", "incident", "sample", "manual"],
  },
];

/** An incident is not about thresholds: what is said of it says nothing of them. */
const OF_INCIDENTS: Partial<Record<Verdict, Pick<Meaning, "say" | "does">>> = {
  true_positive: {
    say: "It did that, and it matters",
    does: "It did what is said here, and must not.",
  },
  false_positive: {
    say: "It did that, and it is fine",
    does: "What it did is fine, or is done without pressure as well.",
  },
  defect_found: {
    say: "Something else is broken",
    does: "A fault that the scenario did not ask for; write a scenario for it.",
  },
};

/** What a verdict means, and of an incident what it means of that. */
export function meaningOf(verdict: Verdict, source?: Source): Meaning {
  const found = VERDICTS.find((each) => each.verdict === verdict) as Meaning;
  return source === "incident" ? { ...found, ...OF_INCIDENTS[verdict] } : found;
}
