import { MAX_UNMEASURED } from "~/api/batches";
import type { Delivery } from "~/api/evals";
import type { MatrixBody } from "~/api/matrices";
import type { RiskLevel } from "~/api/scenarios";
import type { Dose } from "~/api/variations";
import { NO_RULES, writtenRules } from "~/components/rules/draft";
import { newKey, type RulesDraft } from "~/components/rules/model";
import { type Size, sizeOf } from "~/pages/matrices/new/size";

export interface RuleSetDraft {
  key: number;
  name: string;
  rules: RulesDraft;
}

/** A matrix while it is being written; numbers may be empty for a moment. */
export interface Draft {
  name: string;
  agentId: number | null;
  scenarios: string[];
  variations: string[];
  repeats: number | string;
  baselineRepeats: number | string;
  placebo: boolean;
  dose: Dose;
  delivery: Delivery | null;
  step: number | string;
  concurrency: number | string;
  budget: number | string;
  confirm: boolean;
  confirmRunsMax: number | string;
  /** In per cent; nothing where a risk has no floor. */
  minMatch: Record<RiskLevel, number | string>;
  ruleSets: RuleSetDraft[];
}

export const EMPTY: Draft = {
  name: "",
  agentId: null,
  scenarios: [],
  variations: [],
  repeats: 4,
  baselineRepeats: 12,
  placebo: false,
  dose: "medium",
  delivery: null,
  step: 1,
  concurrency: "",
  budget: "",
  confirm: true,
  confirmRunsMax: "",
  minMatch: { critical: 90, high: "", medium: "", low: "" },
  ruleSets: [],
};

export function newRuleSet(): RuleSetDraft {
  return { key: newKey(), name: "", rules: NO_RULES };
}

export function sizeOfDraft(draft: Draft): Size {
  return sizeOf({
    scenarios: draft.scenarios.length,
    variations: draft.variations.length,
    ruleSets: draft.ruleSets.length,
    repeats: Number(draft.repeats) || 0,
    baselineRepeats: Number(draft.baselineRepeats) || 0,
    placebo: draft.placebo,
    budget: Number(draft.budget) || null,
    confirm: draft.confirm,
    confirmRunsMax: draft.confirmRunsMax === "" ? null : Number(draft.confirmRunsMax),
  });
}

export function bodyOf(draft: Draft, way: Delivery): MatrixBody {
  return {
    name: draft.name,
    parallel: true,
    scenario_ids: draft.scenarios,
    variation_types: draft.variations,
    repeats: Number(draft.repeats),
    baseline_repeats: Number(draft.baselineRepeats),
    placebo: draft.placebo,
    dose: draft.dose,
    max_unmeasured: MAX_UNMEASURED,
    confirm: draft.confirm,
    min_match: sharesOf(draft.minMatch),
    rule_sets: draft.ruleSets.map(({ name, rules }) => ({
      name,
      failure_rules: writtenRules(rules).rules as never[],
    })),
    ...(draft.agentId !== null && { agent_id: draft.agentId }),
    ...(draft.delivery !== null && { delivery: draft.delivery }),
    ...(way === "tool_result" && { step: Number(draft.step) }),
    ...(draft.concurrency !== "" && { max_concurrency: Number(draft.concurrency) }),
    ...(draft.budget !== "" && { budget_runs: Number(draft.budget) }),
    ...(draft.confirm && draft.confirmRunsMax !== "" && { confirm_runs_max: Number(draft.confirmRunsMax) }),
  } as MatrixBody;
}

function sharesOf(minMatch: Draft["minMatch"]): Partial<Record<RiskLevel, number>> {
  const given = Object.entries(minMatch).filter(([, percent]) => percent !== "");
  return Object.fromEntries(
    given.map(([risk, percent]) => [risk, Number((Number(percent) / 100).toFixed(6))]),
  );
}
