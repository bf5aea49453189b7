import { Link } from "@tanstack/react-router";
import type { RowRun } from "~/api/batches";
import { type Tone, toneColor } from "~/components/badges";
import { failureMode } from "~/components/failure-modes";
import classes from "~/pages/batches/batches.module.css";

interface Look {
  sign: string;
  words: string;
  tone: Tone;
}

export function lookOf({ status, verdict, failure_mode }: RowRun): Look {
  if (status === "pending") return { sign: "·", words: "waiting", tone: "neutral" };
  if (status === "running") return { sign: "…", words: "running", tone: "live" };
  if (verdict === "PASS") return { sign: "✓", words: "pass", tone: "green" };
  const why = failure_mode === null ? "" : `, ${failureMode(failure_mode).words}`;
  if (verdict === "FAIL") return { sign: "✕", words: `fail${why}`, tone: "red" };
  if (verdict === "PENDING") return { sign: "…", words: "in grading", tone: "odyssey" };
  if (status === "cancelled") return { sign: "–", words: "cancelled", tone: "neutral" };
  return { sign: "–", words: `not graded${why}`, tone: "amber" };
}

/** The runs of a task, one square each: a sign and a colour for its verdict. */
export function RunSquares({ runs }: { runs: RowRun[] }) {
  return (
    <div className={classes.squares}>
      {runs.map((run) => {
        const { sign, words, tone } = lookOf(run);
        const label = `Run ${run.id}, repeat ${run.repeat}: ${words}`;
        return (
          <Link
            key={run.id}
            to="/runs/$runId"
            params={{ runId: run.id }}
            className={classes.square}
            style={{ color: toneColor(tone), backgroundColor: toneColor(tone, true) }}
            aria-label={label}
            title={label}
          >
            {sign}
          </Link>
        );
      })}
    </div>
  );
}
