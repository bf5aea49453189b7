/** How large a matrix is and what its figures will not be able to show: reckoned as the server does, before it is asked. */
import { counted } from "~/components/counted";

export interface Plan {
  scenarios: number;
  variations: number;
  ruleSets: number;
  repeats: number;
  baselineRepeats: number;
  placebo: boolean;
  budget: number | null;
  confirm: boolean;
  /** Null: as the server takes it by default. */
  confirmRunsMax: number | null;
}

export interface Size {
  rows: number;
  cells: number;
  /** Without the fresh runs. */
  runs: number;
  /** Fresh runs at most; 0: none. */
  freshMax: number;
  minP: number;
  warnings: string[];
}

const FEWEST_BASELINES = 4;
const FEWEST_VARIATIONS = 3;
const SIGNIFICANT = 0.05;
const MOST_REPEATS = 100;
/** So many fresh runs it takes to look at one cell again. */
export const LEAST_FRESH = 16;
export const MOST_RUNS = 100_000;
export const MOST_CELLS = 5_000;

export function sizeOf(plan: Plan): Size {
  const rows = plan.scenarios * (1 + plan.ruleSets);
  const cells = rows * plan.variations;
  const ofCell = plan.repeats * (plan.placebo ? 2 : 1);
  const runs = rows * (plan.baselineRepeats + plan.variations * ofCell);
  const minP = smallestP(plan.repeats, plan.baselineRepeats);
  const size = { rows, cells, runs, freshMax: freshMaxOf(plan, runs), minP };
  return { ...size, warnings: cells === 0 ? [] : warningsOf(plan, size) };
}

/** Half of the plan unless another number is asked for, as far as the budget allows. */
function freshMaxOf({ confirm, confirmRunsMax, budget }: Plan, runs: number): number {
  if (!confirm) return 0;
  const wanted = confirmRunsMax ?? Math.floor(runs / 2);
  return budget === null ? wanted : Math.max(0, Math.min(wanted, budget - runs));
}

/** One relabelling of all there are. */
function smallestP(variations: number, baselines: number): number {
  let ways = 1;
  for (let chosen = 1; chosen <= variations; chosen += 1) ways *= (baselines + chosen) / chosen;
  return 1 / ways;
}

function warningsOf(plan: Plan, { cells, runs, freshMax, minP }: Omit<Size, "warnings">): string[] {
  const found: string[] = [];
  if (plan.repeats < FEWEST_VARIATIONS) {
    found.push(
      `A cell needs ${FEWEST_VARIATIONS} runs to be measured and has ${plan.repeats}: every cell will be insufficient.`,
    );
  }
  if (plan.baselineRepeats < FEWEST_BASELINES) {
    found.push(
      `A row needs ${FEWEST_BASELINES} baselines and has ${plan.baselineRepeats}: every cell will be insufficient.`,
    );
  }
  if (freshMax < LEAST_FRESH && minP * cells > SIGNIFICANT) found.push(tooCoarse(plan, cells, minP));
  if (runs > MOST_RUNS) found.push(`A matrix has at most ${counted(MOST_RUNS, "run")}.`);
  if (cells > MOST_CELLS) found.push(`A matrix has at most ${counted(MOST_CELLS, "cell")}.`);
  if (plan.budget !== null && plan.budget < runs) {
    found.push(`The plan is above the budget by ${counted(runs - plan.budget, "run")}: it would be refused.`);
  }
  if (plan.budget === runs) {
    found.push(
      "The budget is exactly the plan: a run that fails for a reason that is not the agent's will not be repeated.",
    );
  }
  if (plan.confirm && freshMax < LEAST_FRESH) {
    found.push(
      `To look at one cell again takes ${LEAST_FRESH} fresh runs, and ${freshMax} are allowed: cells will be judged on their first runs alone.`,
    );
  }
  return found;
}

function tooCoarse(plan: Plan, cells: number, minP: number): string {
  const runs = `${counted(plan.repeats, "run")} against ${counted(plan.baselineRepeats, "baseline")}`;
  const among = cells > 1 ? `among ${counted(cells, "cell")} ` : "";
  return `With ${runs} no p-value can be below ${pWords(minP)}; ${among}that is too coarse to confirm the shift of a single cell. ${remedy(plan, cells)}`;
}

function remedy(plan: Plan, cells: number): string {
  for (let repeats = plan.repeats + 1; repeats <= MOST_REPEATS; repeats += 1) {
    if (smallestP(repeats, plan.baselineRepeats) * cells <= SIGNIFICANT) {
      return `Set the repeats to at least ${repeats}, or run fewer cells.`;
    }
  }
  return "Set repeats and baselines higher, or run fewer cells.";
}

/** "0.00055" */
export function pWords(value: number): string {
  if (value < 1e-6) return "0.000001";
  return String(Number(value.toPrecision(2)));
}
