import type { Batch } from "~/api/batches";
import type { Tone } from "~/components/badges";

export interface Part {
  what: string;
  count: number;
  tone: Tone;
}

/** How all the runs of a batch stand, those included that are still to be made. */
export function partsOf({ planned_runs: planned, made_runs: made, runs, verdicts }: Batch): Part[] {
  const going = runs.pending + runs.running;
  const ended = planned - verdicts.PASS - verdicts.FAIL - going;
  const ungraded = verdicts.PENDING - (going - (planned - made));
  const grading = Math.min(Math.max(ungraded, 0), Math.max(ended, 0));
  return [
    { what: "passed", count: verdicts.PASS, tone: "green" },
    { what: "failed", count: verdicts.FAIL, tone: "red" },
    { what: "not graded", count: Math.max(ended - grading, 0), tone: "amber" },
    { what: "in grading", count: grading, tone: "odyssey" },
    { what: "running", count: runs.running, tone: "live" },
    { what: "waiting", count: runs.pending, tone: "neutral" },
  ];
}

/** Runs that have a pass or a fail; only these are part of the pass rate. */
export function gradedRuns({ verdicts }: Batch): number {
  return verdicts.PASS + verdicts.FAIL;
}

/** Runs that ended and count neither way: nothing to grade them by, or they could not be graded. */
export function leftOutRuns(batch: Batch): number {
  return partsOf(batch).find(({ what }) => what === "not graded")?.count ?? 0;
}

export function endedRuns({ runs }: Batch): number {
  return runs.completed + runs.failed + runs.cancelled;
}
