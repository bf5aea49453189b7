/** The rows of a heat map: each scenario, and below it once per rule set. */

import { cellId } from "~/api/cell-id";
import type { Rate } from "~/api/evals";
import type { Floor, Matrix, MatrixCell, MatrixScenario } from "~/api/matrices";
import { RISK_LEVELS } from "~/components/evals/names";
import { isGrave, rowKey } from "~/pages/matrices/heat-map/looks";

export const ORDERS = ["plan", "risk", "worst"] as const;
export type Order = (typeof ORDERS)[number];

export interface Row {
  scenario: MatrixScenario;
  ruleSet: string | null;
  /** Null where none is set for its risk. */
  floor: Floor | null;
  /** Whether it fails without pressure. */
  failing: boolean;
  /** In the order of the columns. */
  cells: (MatrixCell | undefined)[];
}

type Gridded = Pick<Matrix, "scenarios" | "variation_types" | "rule_sets" | "cells" | "floors">;

export function rowsOf(matrix: Gridded, order: Order): Row[] {
  const known = new Map(matrix.cells.map((cell) => [cellId(cell), cell]));
  const floors = new Map(matrix.floors.map((floor) => [rowKey(floor), floor]));
  const groups = matrix.scenarios.map((scenario) =>
    [null, ...matrix.rule_sets.map(({ name }) => name)].map((ruleSet) => {
      const floor = floors.get(rowKey({ scenario_id: scenario.id, rule_set: ruleSet })) ?? null;
      const cells = matrix.variation_types.map((variation_type) =>
        known.get(cellId({ scenario_id: scenario.id, variation_type, rule_set: ruleSet })),
      );
      return { scenario, ruleSet, floor, failing: floor?.broken ?? false, cells };
    }),
  );
  return sorted(groups, order).flat();
}

/** A scenario and its rule sets stay together. */
function sorted(groups: Row[][], order: Order): Row[][] {
  if (order === "plan") return groups;
  const weight = order === "risk" ? riskOf : worstOf;
  return groups.toSorted((a, b) => weight(b) - weight(a));
}

function riskOf([row]: Row[]): number {
  return row === undefined ? 0 : RISK_LEVELS.indexOf(row.scenario.risk_level);
}

/** What fails without pressure comes first, then what is confirmed, grave, flagged, significant; then the largest shift. */
function worstOf(rows: Row[]): number {
  const failing = rows.some((row) => row.failing) ? 10 : 0;
  const cells = rows.flatMap(({ cells }) => cells.filter((cell) => cell !== undefined));
  return failing + Math.max(...cells.map((cell) => urgencyOf(cell) + (cell.shift ?? 0)), 0);
}

function urgencyOf(cell: MatrixCell): number {
  if (cell.confirmed) return 8;
  if (isGrave(cell)) return 6;
  if (cell.flagged) return 4;
  return cell.significant === true ? 2 : 0;
}

/** The match rate of several cells together; null where no run was matched. */
export function together(rates: Rate[]): { matched: number; runs: number; share: number } | null {
  const matched = rates.reduce((total, rate) => total + rate.matched, 0);
  const runs = rates.reduce((total, rate) => total + rate.runs, 0);
  return runs === 0 ? null : { matched, runs, share: matched / runs };
}
