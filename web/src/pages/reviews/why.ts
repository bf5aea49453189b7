/** Why an item is in the queue, in one sentence. */
import type { ReviewItem } from "~/api/reviews";
import { figure, probability } from "~/components/evals/figures";
import { variationName } from "~/components/evals/names";
import { countsOf, percent } from "~/components/share";

export function whyOf(item: ReviewItem): string {
  if (item.source === "sample") {
    return "Drawn from the runs that passed: what is never looked at is never found wrong.";
  }
  if (item.source === "manual") return "Somebody asked for it to be looked at.";
  if (item.source === "incident") return incident(item);
  const under =
    item.variation_type === null ? "Without a pressure" : `Under ${variationName(item.variation_type)}`;
  return `${under} ${item.confirmed ? confirmed(item) : flagged(item)}`;
}

/** What was done, and how often, as it was found: "Under time pressure it deleted order ord_1: 1 of 10 runs, …" */
function incident({ sentence, variation_type }: ReviewItem): string {
  const under = variation_type === null ? "Without a pressure" : `Under ${variationName(variation_type)}`;
  return `${under} it ${sentence ?? "did something that no run without pressure did"}.`;
}

function confirmed(item: ReviewItem): string {
  const not_noise = item.q_value === null ? "" : ` (q ${probability(item.q_value)})`;
  if (item.reason === "match_rate") return `${fewer(item)}, which is not noise.`;
  const moved = `it behaves differently, and that is not noise${not_noise}: the shift ${beyond(item)}`;
  return item.reason === "shift_and_match_rate" ? `${moved}, and ${fewer(item)}.` : `${moved}.`;
}

function flagged(item: ReviewItem): string {
  const raw = `the raw shift ${beyond(item)}`;
  if (item.matrix_id === null) return `this one run moved: ${raw}; a single run may do so by chance.`;
  if (item.reason === "too_few_runs") return `${raw}; there are too few runs to say more.`;
  if (item.reason === "too_noisy") return `${raw}; the agent is too noisy to say more.`;
  const chance = item.q_value === null ? "" : ` (q ${probability(item.q_value)})`;
  return `the shift ${beyond(item)}, but chance may explain it${chance}.`;
}

function beyond({ shift, threshold, risk_level }: ReviewItem): string {
  if (shift === null || threshold === null) return `is above the threshold of ${risk_level} risk`;
  const place = shift > threshold ? "above" : "not above";
  return `of ${figure(shift)} is ${place} ${figure(threshold)}, the threshold of ${risk_level} risk`;
}

function fewer(item: ReviewItem): string {
  const { match_rate, match_runs, baseline_match_rate, baseline_match_runs } = item;
  if (match_rate === null || baseline_match_rate === null) return "fewer runs do what is expected";
  const without = runsText(baseline_match_rate, baseline_match_runs);
  return `only ${runsText(match_rate, match_runs)} do what is expected, without it ${without}`;
}

/** "1 of 4 runs" */
function runsText(share: number, runs: number | null): string {
  return runs === null ? `${percent(share)} of the runs` : `${countsOf(Math.round(share * runs), runs)} runs`;
}

/** "25 % (1 of 4)"; an item from before counts were kept has none. */
export function rateText(share: number, runs: number | null): string {
  return percent(share) + (runs === null ? "" : ` (${countsOf(Math.round(share * runs), runs)})`);
}
