/** Which cell and which two runs are looked at, as the address of a page holds it. */
import type { CellSummary, EvalRun } from "~/api/evals";
import { oneOf, text, uuid, whole, word } from "~/shell/search";

/** For the `validateSearch` of every page that shows a comparison. */
export function cellSearch(search: Record<string, unknown>) {
  return {
    variation_type: word(search.variation_type),
    dose: oneOf(search.dose, ["mild", "medium", "strong"]),
    delivery: oneOf(search.delivery, ["user", "system", "tool_result"]),
    step: whole(search.step),
    agent_id: whole(search.agent_id),
    agent_version: whole(search.agent_version),
    scenario_version: whole(search.scenario_version),
    matrix_id: uuid(search.matrix_id),
    rule_set: text(search.rule_set),
    baseline: whole(search.baseline),
    variation: whole(search.variation),
  };
}

export type CellSearch = ReturnType<typeof cellSearch>;

/** A cell under a pressure. */
export type Pressed = CellSummary & { variation_type: string };

const OF_GROUP = ["agent_id", "agent_version", "scenario_version", "rule_set"] as const;
const OF_CELL = ["variation_type", "dose", "delivery", "step"] as const;

export function isPressed(cell: CellSummary): cell is Pressed {
  return cell.variation_type !== null;
}

/** Whether their runs are compared with the same baselines. */
export function sameGroup(a: CellSummary, b: CellSummary): boolean {
  return OF_GROUP.every((name) => a[name] === b[name]);
}

/** The cell that is asked for; where several are, the one with the newest run. A run that is named decides. */
export function chosenCell(
  cells: CellSummary[],
  search: CellSearch,
  named: EvalRun | undefined,
): Pressed | undefined {
  const pressed = cells.filter(isPressed);
  if (named !== undefined && named.variation_type !== null) {
    return pressed.find((cell) => [...OF_GROUP, ...OF_CELL].every((name) => cell[name] === named[name]));
  }
  return pressed.find(
    (cell) =>
      cell.rule_set === (search.rule_set ?? null) &&
      [...OF_GROUP, ...OF_CELL].every((name) => search[name] === undefined || search[name] === cell[name]),
  );
}

/** The address of a cell; which runs of it are shown is left open. */
export function addressOf(cell: Pressed): Partial<CellSearch> {
  const { agent_id, agent_version, scenario_version, rule_set, variation_type, dose, delivery, step } = cell;
  return {
    agent_id,
    agent_version,
    scenario_version,
    rule_set: rule_set ?? undefined,
    variation_type,
    dose: dose ?? undefined,
    delivery: delivery ?? undefined,
    step: step ?? undefined,
    baseline: undefined,
    variation: undefined,
  };
}
