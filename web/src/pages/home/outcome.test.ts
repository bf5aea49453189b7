import { describe, expect, test } from "vitest";
import type { RunSummary } from "~/api/queries";
import { statusTone } from "~/components/status-tone";
import { outcomeOf } from "~/pages/home/outcome";

const run = (status: string, verdict: string, failure_mode: string | null = null) =>
  ({ status, verdict, failure_mode, error_class: null }) as RunSummary;

describe("how well something went is told by its verdict alone", () => {
  test("no status is coloured, but for what goes on", () => {
    const statuses = ["checking", "pending", "running", "completed", "failed", "cancelled"];
    expect(statuses.filter((status) => statusTone(status) !== "neutral")).toEqual(["running"]);
  });

  test.each([
    ["completed", "PASS", "green"],
    ["completed", "FAIL", "red"],
    ["completed", "NOT APPLICABLE", "neutral"],
    ["completed", "PENDING", "live"],
    ["failed", "FAIL", "red"],
    ["failed", "NOT APPLICABLE", "neutral"],
    ["failed", "PENDING", "neutral"],
    ["cancelled", "NOT APPLICABLE", "neutral"],
    ["pending", "PENDING", "neutral"],
  ])("a run that is %s with %s is %s", (status, verdict, tone) => {
    expect(outcomeOf(run(status, verdict)).tone).toBe(tone);
  });

  test("a run that could not be graded asks to be looked at", () => {
    expect(outcomeOf(run("completed", "NOT APPLICABLE", "grader_crash")).tone).toBe("amber");
  });
});
