import type { RunSummary } from "~/api/queries";
import type { Tone } from "~/components/badges";

export interface Outcome {
  tone: Tone;
  /** Stands in the square, so that colour is not the only sign. */
  sign: string;
  words: string;
}

export function outcomeOf(run: RunSummary): Outcome {
  if (run.status === "failed") {
    return { tone: "red", sign: "×", words: run.error_class ? `failed, ${run.error_class}` : "failed" };
  }
  if (run.status === "completed" && run.verdict === "FAIL") {
    return { tone: "amber", sign: "!", words: "completed, a check did not hold" };
  }
  if (run.status === "completed") return { tone: "green", sign: "", words: "completed" };
  if (run.status === "running") return { tone: "live", sign: "▸", words: "running" };
  return { tone: "neutral", sign: run.status === "cancelled" ? "–" : "·", words: run.status };
}
