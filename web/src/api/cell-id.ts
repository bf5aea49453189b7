import type { MatrixCell } from "~/api/matrices";

/** A cell as the address of a page names it: `scn_…/time_pressure`, with the rule set behind it. */
export function cellId(cell: Pick<MatrixCell, "scenario_id" | "variation_type" | "rule_set">): string {
  const rules = cell.rule_set === null ? "" : `/${cell.rule_set}`;
  return `${cell.scenario_id}/${cell.variation_type}${rules}`;
}
