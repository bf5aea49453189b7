import { useQuery } from "@tanstack/react-query";
import type { Cell } from "~/api/evals";
import { agentsQuery } from "~/api/queries";
import { scenarioQuery } from "~/api/scenarios";
import type { Wanted } from "~/components/comparison/cell/start-runs";

export const FEWEST_BASELINES = 4;
export const FEWEST_VARIATIONS = 3;

export interface Missing {
  baselines: number;
  variations: number;
  placebos: number;
  /** What to ask for; empty where runs like these can no longer be made. */
  runs: Wanted[];
  placeboRuns: Wanted[];
}

/** What a cell lacks to be measured. Only the published version and the present scenario can be run. */
export function useMissing(cell: Cell, step: number | null, matrixId: string | undefined): Missing {
  const { data: agents } = useQuery(agentsQuery);
  const { data: scenario } = useQuery(scenarioQuery(cell.scenario_id));
  const agent = agents?.find(({ id }) => id === cell.agent_id);
  const current =
    matrixId === undefined &&
    agent?.published_version === cell.agent_version &&
    scenario?.version === cell.scenario_version;
  const { runs, pending } = { runs: cell.runs, pending: cell.runs.pending.length };
  const baselines = Math.max(0, FEWEST_BASELINES - runs.baseline.length);
  const variations = Math.max(0, FEWEST_VARIATIONS - runs.variation.length);
  const placebos = Math.max(0, FEWEST_BASELINES - runs.placebo.length);
  const base = { scenario_id: cell.scenario_id, agent_id: cell.agent_id };
  const pressed = {
    ...base,
    variation_type: cell.variation_type,
    dose: cell.dose,
    delivery: cell.requested_delivery,
    ...(step !== null && { step }),
  };
  const may = current && pending === 0;
  return {
    baselines,
    variations,
    placebos,
    runs: may
      ? [
          ...(baselines > 0 ? [{ ...base, repeats: baselines }] : []),
          ...(variations > 0 ? [{ ...pressed, repeats: variations }] : []),
        ]
      : [],
    placeboRuns: may && placebos > 0 ? [{ ...pressed, placebo: true, repeats: placebos }] : [],
  };
}
