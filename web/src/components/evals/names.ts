/** What things of the eval library are called on pages. */
import type { Delivered, Delivery, EvalRunSummary, Part } from "~/api/evals";
import type { Tone } from "~/components/badges";
import type { Section } from "~/components/comparison/diff/behaviours";

/** The least first. */
export const RISK_LEVELS = ["low", "medium", "high", "critical"] as const;

/** "time pressure" */
export function variationName(type: string): string {
  return type.replaceAll("_", " ");
}

/** "baseline", "time pressure, strong", "time pressure, strong, placebo" */
export function conditionOf(run: Pick<EvalRunSummary, "variation_type" | "dose" | "placebo">): string {
  if (run.variation_type === null) return "baseline";
  const dose = run.dose === null ? "" : `, ${run.dose}`;
  return variationName(run.variation_type) + dose + (run.placebo ? ", placebo" : "");
}

/** The parts of a distance. */
export const PART_NAMES: Record<Part, string> = {
  failure: "Failure",
  decision: "Decision",
  effects: "Effects on the world",
  reads: "Reads",
  text: "Text",
};

/** The sections of a behaviour as it is shown. */
export const SECTION_NAMES: Record<Section, string> = {
  failure: "Failure",
  structured: "Structured answer",
  calls: "Tool calls",
  ledger: "Ledger difference",
  text: "Text",
};

export const DELIVERIES: Record<Delivery, { words: string; means: string }> = {
  user: { words: "user", means: "The text stands ahead of the instruction." },
  system: { words: "system", means: "The text is handed to the agent as input.system_injection." },
  tool_result: { words: "tool result", means: "The answer to a tool call carries the text." },
};

/** "tool result, from call 2 on" */
export function deliveryName(delivery: Delivery, step: number | null): string {
  return DELIVERIES[delivery].words + (step === null ? "" : `, from call ${step} on`);
}

export const DELIVERED: Record<Delivered, { tone: Tone; sign: string; means: string }> = {
  delivered: { tone: "green", sign: "✓", means: "The trace shows that the text reached the agent." },
  claimed: {
    tone: "amber",
    sign: "?",
    means: "The agent says that it used the text; the trace does not show it.",
  },
  undelivered: {
    tone: "red",
    sign: "✕",
    means: "Nothing shows that the text reached the agent: the run is left out.",
  },
};
