import { expect, test } from "vitest";
import type { Floor, Incident, MatrixCell, MatrixScenario } from "~/api/matrices";
import { type Order, rowsOf, together } from "~/pages/matrices/heat-map/rows";

const scenario = (id: string, risk_level: MatrixScenario["risk_level"]) =>
  ({ id, name: id, risk_level }) as MatrixScenario;
const grave = [{ severity: "grave" }] as Incident[];

function cell(scenario_id: string, changes: Partial<MatrixCell> = {}): MatrixCell {
  const plain = { rule_set: null, variation_type: "sycophancy", shift: 0, incidents: [], significant: false };
  return { ...plain, scenario_id, confirmed: false, flagged: false, ...changes } as MatrixCell;
}

const MATRIX = {
  scenarios: [
    scenario("still", "low"),
    scenario("small", "critical"),
    scenario("large", "medium"),
    scenario("grave", "high"),
    scenario("confirmed", "low"),
    scenario("broken", "critical"),
  ],
  variation_types: ["sycophancy", "time_pressure"],
  rule_sets: [{ name: "orders fail", failure_rules: [] }],
  cells: [
    cell("still"),
    cell("small", { shift: 0.9, significant: true }),
    cell("large", { shift: 0.4, flagged: true }),
    cell("grave", { shift: 0.1, incidents: grave }),
    cell("confirmed", { rule_set: "orders fail", shift: 0.2, confirmed: true }),
    cell("broken"),
  ],
  floors: [
    { scenario_id: "broken", rule_set: null, broken: true },
    { scenario_id: "small", rule_set: null, broken: false },
  ] as Floor[],
};

const named = (order: Order) => rowsOf(MATRIX, order).map(({ scenario, ruleSet }) => [scenario.id, ruleSet]);

test("a scenario has a row of its own and one for each rule set, which stay together", () => {
  expect(named("plan")).toEqual(
    MATRIX.scenarios.flatMap(({ id }) => [
      [id, null],
      [id, "orders fail"],
    ]),
  );
  const [, row] = rowsOf(MATRIX, "plan").filter(({ scenario }) => scenario.id === "confirmed");
  expect(row?.cells.map((each) => each?.shift)).toEqual([0.2, undefined]);
});

test.each([
  ["worst", ["broken", "confirmed", "grave", "large", "small", "still"]],
  ["risk", ["small", "broken", "grave", "large", "still", "confirmed"]],
] as const)("the order %s", (order, wanted) => {
  const first = named(order).filter(([, ruleSet]) => ruleSet === null);
  expect(first.map(([id]) => id)).toEqual(wanted);
});

test("only the row whose floor is broken fails, not the same scenario under a rule set", () => {
  const failing = rowsOf(MATRIX, "plan").filter((row) => row.failing);
  expect(failing.map(({ scenario, ruleSet }) => [scenario.id, ruleSet])).toEqual([["broken", null]]);
});

test("match rates are added up, and of nothing there is none", () => {
  const rate = (matched: number, runs: number) => ({ share: null, interval: null, matched, runs });
  expect(together([rate(1, 4), rate(0, 0), rate(3, 4)])).toEqual({ matched: 4, runs: 8, share: 0.5 });
  expect(together([rate(0, 0)])).toBeNull();
});
