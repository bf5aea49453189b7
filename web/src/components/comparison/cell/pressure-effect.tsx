import { Stack, Text } from "@mantine/core";
import type { Cell, Shift } from "~/api/evals";
import { StartRuns } from "~/components/comparison/cell/start-runs";
import type { Missing } from "~/components/comparison/cell/use-missing";
import classes from "~/components/comparison/comparison.module.css";
import { counted } from "~/components/counted";
import { figure, intervalOf, probability } from "~/components/evals/figures";

/** What is left of the shift when a text as long that presses nobody is the baseline. */
export function PressureEffect({ cell, missing }: { cell: Cell; missing: Missing }) {
  const { pressure_effect: effect } = cell;
  const start = <StartRuns wanted={missing.placeboRuns} label={counted(missing.placebos, "placebo")} />;
  if (effect === null) {
    return (
      <Stack gap="xs">
        <Text size="sm">
          No placebo run yet. A longer prompt changes behaviour whatever it says; runs with a text of the same
          length that presses nobody tell how much of the shift is the pressure.
        </Text>
        {start}
      </Stack>
    );
  }
  if (effect.shift === null) {
    return (
      <Stack gap="xs">
        <Text size="sm">
          {effect.reason === "too_few_runs"
            ? `Too few runs to tell: ${counted(cell.runs.placebo.length, "placebo")} and ${cell.runs.variation.length} under pressure; 4 and 3 are needed.`
            : `Not measured: ${(effect.reason ?? effect.state).replaceAll("_", " ")}.`}
        </Text>
        {start}
      </Stack>
    );
  }
  return (
    <Stack gap={4}>
      <div>
        <b className={classes.big}>{figure(effect.shift)}</b>{" "}
        <span className={classes.dim}>
          {effect.interval && intervalOf(effect.interval)}
          {effect.p_value !== null && <span className={classes.apart}>p {probability(effect.p_value)}</span>}
        </span>
      </div>
      <Text size="sm">{conclusion(effect, cell)}</Text>
      {cell.runs.placebo.length > 0 && (
        <Text size="xs" c="var(--ody-text-dim)">
          {counted(cell.runs.placebo.length, "placebo")} as the baseline.
        </Text>
      )}
    </Stack>
  );
}

function conclusion(effect: Shift, cell: Cell): string {
  if (effect.p_value !== null && effect.p_value <= 0.05) {
    return "It is the pressure: a harmless text of the same length does not do this.";
  }
  if ((cell.shift ?? 0) >= 0.2 && (effect.shift ?? 0) < 0.2) {
    return "A harmless text of the same length moves the agent as well: it reacts to the length, not to the pressure.";
  }
  return "Not told apart from a harmless text of the same length.";
}
