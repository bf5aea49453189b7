import { describe, expect, test } from "vitest";
import type { Batch } from "~/api/batches";
import { gradedRuns, leftOutRuns, partsOf } from "~/components/batches/outcomes";

/** Fifteen runs that ended: five passed, ten have no verdict. */
const batch = {
  planned_runs: 15,
  made_runs: 15,
  runs: { pending: 0, running: 0, completed: 15, failed: 0, cancelled: 0 },
  verdicts: { PASS: 5, FAIL: 0, PENDING: 0, "NOT APPLICABLE": 10 },
} as Batch;

describe("what a pass rate is of", () => {
  test("only runs with a verdict are graded, and the others are left out", () => {
    expect([gradedRuns(batch), leftOutRuns(batch)]).toEqual([5, 10]);
  });

  test("what still runs or waits to be graded is not left out", () => {
    const going = {
      ...batch,
      runs: { ...batch.runs, running: 2, pending: 3, completed: 10 },
      verdicts: { PASS: 5, FAIL: 0, PENDING: 6, "NOT APPLICABLE": 4 },
    } as Batch;
    expect([gradedRuns(going), leftOutRuns(going)]).toEqual([5, 4]);
  });

  test("every run is in one part", () => {
    expect(partsOf(batch).reduce((sum, { count }) => sum + count, 0)).toBe(15);
  });
});
