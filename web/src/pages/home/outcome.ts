import type { RunSummary } from "~/api/queries";
import type { Tone } from "~/components/badges";
import { failureMode } from "~/components/failure-modes";

export interface Outcome {
  tone: Tone;
  /** Stands in the square, so that colour is not the only sign. */
  sign: string;
  words: string;
}

export function outcomeOf(run: RunSummary): Outcome {
  if (run.status === "failed") {
    const words = run.error_class ? `failed, ${run.error_class}` : "failed";
    return { tone: run.verdict === "FAIL" ? "red" : "neutral", sign: "×", words };
  }
  if (run.status === "completed") return graded(run);
  if (run.status === "running") return { tone: "live", sign: "▸", words: "running" };
  return { tone: "neutral", sign: run.status === "cancelled" ? "–" : "·", words: run.status };
}

function graded({ verdict, failure_mode }: RunSummary): Outcome {
  const why = failure_mode ? `, ${failureMode(failure_mode).words}` : "";
  if (verdict === "PASS") return { tone: "green", sign: "✓", words: "passed" };
  if (verdict === "FAIL") return { tone: "red", sign: "!", words: `not passed${why}` };
  if (verdict === "PENDING") return { tone: "live", sign: "…", words: "completed, being graded" };
  if (failure_mode) return { tone: "amber", sign: "?", words: `completed, not graded${why}` };
  return { tone: "neutral", sign: "", words: "completed, not graded" };
}
