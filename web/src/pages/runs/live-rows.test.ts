import { describe, expect, test } from "vitest";
import type { RunSummary } from "~/api/queries";
import type { LiveRows } from "~/components/live-list/use-live-list";
import { belongs, changed, changedInPlace, revealed, settled } from "~/pages/runs/live-rows";

function run(
  id: number,
  status: RunSummary["status"] = "completed",
  more: Partial<RunSummary> = {},
): RunSummary {
  return {
    id,
    status,
    verdict: "PASS",
    attempts: [],
    user_instruction: "",
    ...more,
  } as unknown as RunSummary;
}

function shown({ rows, waiting }: LiveRows<RunSummary>): string[] {
  return [...rows.map(({ id, status }) => `${id} ${status}`), ...waiting.map(({ id }) => `${id} waits`)];
}

const LIST: LiveRows<RunSummary> = { rows: [run(5, "running"), run(3)], waiting: [] };

describe("a list that moves", () => {
  test("changes its rows where they stand and lets new runs wait", () => {
    expect(shown(changed(LIST, [run(5), run(6, "pending")], true))).toEqual([
      "5 completed",
      "3 completed",
      "6 waits",
    ]);
  });

  test("lets a run wait once, however often it changes", () => {
    const twice = changed(changed(LIST, [run(6, "pending")], true), [run(6, "running"), run(6)], true);
    expect(shown(twice)).toEqual(["5 running", "3 completed", "6 waits"]);
    expect(twice.waiting[0]?.status).toBe("completed");
  });

  test("takes no run older than all it shows, and none at all on an older page", () => {
    expect(changed(LIST, [run(2)], true).waiting).toEqual([]);
    expect(changed(LIST, [run(6)], false).waiting).toEqual([]);
  });

  test("never goes back to what was known before", () => {
    const ended = settled([run(5)]);
    expect(shown(changed(ended, [run(5, "running")], true))).toEqual(["5 completed"]);
    const graded = settled([run(5, "completed", { verdict: "PASS" })]);
    const [row] = changed(graded, [run(5, "completed", { verdict: "PENDING" })], true).rows;
    expect(row?.verdict).toBe("PASS");
  });

  test("shows what waited, newest first, when it is asked to", () => {
    expect(shown(revealed(changed(LIST, [run(6), run(7)], true)))).toEqual([
      "7 completed",
      "6 completed",
      "5 running",
      "3 completed",
    ]);
  });

  test("lets nothing wait that no longer belongs there", () => {
    const waiting = changed(LIST, [run(6)], true);
    expect(shown(changedInPlace(waiting, [run(6), run(5, "failed")]))).toEqual(["5 failed", "3 completed"]);
  });

  test("that was read late has what came before it", () => {
    expect(shown(settled([run(5, "running")], [run(6), run(5)]))).toEqual(["6 completed", "5 completed"]);
  });
});

test.each<[object, boolean | null]>([
  [{}, true],
  [{ status: ["failed", "completed"] }, true],
  [{ status: ["failed"] }, false],
  [{ agent_id: 7, verdict: "PASS" }, true],
  [{ agent_id: 8 }, false],
  [{ q: "TELESCOPE" }, true],
  [{ q: "microscope" }, null],
])("a run belongs into a list by %j: %s", (filters, expected) => {
  expect(
    belongs(run(1, "completed", { agent_id: 7, user_instruction: "Send the telescope…" }), filters),
  ).toBe(expected);
});

test("what is not in a short instruction is not in it", () => {
  expect(belongs(run(1, "completed", { user_instruction: "Send it." }), { q: "microscope" })).toBe(false);
});
