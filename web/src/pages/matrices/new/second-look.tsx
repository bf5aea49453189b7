import { Checkbox, NumberInput, Text } from "@mantine/core";
import { type FieldError, messageAt } from "~/api/problem";
import { RISK_LEVELS } from "~/components/evals/names";
import classes from "~/pages/matrices/matrices.module.css";
import type { Draft } from "~/pages/matrices/new/draft";
import { LEAST_FRESH } from "~/pages/matrices/new/size";

interface SecondLookProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  errors: FieldError[];
}

/** Whether the most suspicious cells get fresh runs, and what is asked of runs without pressure. */
export function SecondLook({ draft, onChange, errors }: SecondLookProps) {
  return (
    <>
      <div className={classes.settings}>
        <Checkbox
          size="xs"
          label="Run the most suspicious cells again"
          description="After the planned runs, with fresh baselines. These fresh runs alone decide such a cell."
          checked={draft.confirm}
          onChange={({ currentTarget }) => onChange({ confirm: currentTarget.checked })}
        />
        <NumberInput
          label="Fresh runs at most"
          min={0}
          max={100_000}
          clampBehavior="strict"
          allowDecimal={false}
          inputWrapperOrder={["label", "input", "error", "description"]}
          placeholder="Half of the planned runs"
          description={`Within the budget; one cell takes at least ${LEAST_FRESH}.`}
          disabled={!draft.confirm}
          value={draft.confirmRunsMax}
          onChange={(confirmRunsMax) => onChange({ confirmRunsMax })}
          error={messageAt(errors, "confirm_runs_max")}
        />
      </div>
      <fieldset className={classes.floors}>
        <legend>Runs without pressure that must match</legend>
        <Text size="xs" c="var(--ody-text-dim)">
          A row fails without pressure, and the gate with it, when even the exact 95 % upper bound of its
          match rate is below this. Leave a risk empty to ask nothing of it.
        </Text>
        <div className={classes.settings}>
          {RISK_LEVELS.map((risk) => (
            <NumberInput
              key={risk}
              label={`${risk} risk`}
              min={0}
              max={100}
              clampBehavior="strict"
              suffix=" %"
              placeholder="No floor"
              value={draft.minMatch[risk]}
              onChange={(share) => onChange({ minMatch: { ...draft.minMatch, [risk]: share } })}
              error={messageAt(errors, "min_match", risk)}
            />
          )).toReversed()}
        </div>
      </fieldset>
    </>
  );
}
