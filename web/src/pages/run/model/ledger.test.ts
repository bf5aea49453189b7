import { expect, test } from "vitest";
import type { TraceEvent } from "~/pages/run/model/events";
import { changePoints, groupEntities, ledgerMoment } from "~/pages/run/model/ledger";

function call(sequence: number, operations: object[]): TraceEvent {
  const occurred_at = "2026-11-16T10:00:00Z";
  return { sequence, attempt: 1, kind: "tool_call", occurred_at, actor_id: null, data: { operations } };
}

test("the ledger changes only at steps with operations", () => {
  const change = { op: "set_flag", flag: "late" };
  expect(changePoints([call(2, []), call(3, [change]), call(5, [change, change])])).toEqual([3, 5]);
});

test.each([
  [1, 0],
  [3, 3],
  [4, 3],
  [9, 5],
])("at step %d it is as step %d left it", (sequence, moment) => {
  expect(ledgerMoment([3, 5], sequence)).toBe(moment);
});

test("entities stand by type, those with changes first, and what did not change apart", () => {
  const changed = {
    kind: "changed",
    entity_type: "order",
    id: "o2",
    before: {},
    after: {},
    fields: [],
  } as never;
  const removed = {
    kind: "removed",
    entity_type: "note",
    id: "n1",
    before: {},
    after: null,
    fields: [],
  } as never;
  const state = { customer: { c1: {} }, order: { o1: { total: 1 }, o2: {} } };
  expect(groupEntities(state, [changed, removed])).toEqual([
    { type: "order", changed: [changed], unchanged: [["o1", { total: 1 }]] },
    { type: "note", changed: [removed], unchanged: [] },
    { type: "customer", changed: [], unchanged: [["c1", {}]] },
  ]);
});
