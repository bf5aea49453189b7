import { Stack, Text } from "@mantine/core";
import type { EvalRun } from "~/api/evals";
import { DISTANCE_VERSION } from "~/api/matrices";
import figures from "~/components/comparison/comparison.module.css";
import { isMembers } from "~/components/comparison/diff/json";
import { counted } from "~/components/counted";
import { figure } from "~/components/evals/figures";
import { PART_NAMES } from "~/components/evals/names";
import { short } from "~/components/ledger/operations";
import { TextLink } from "~/components/page";
import classes from "~/pages/evals/evals.module.css";

const MOST_LISTED = 12;

/** How far this one run is from the baselines, part by part; a single run says nothing of noise. */
export function ShiftOfRun({ run }: { run: EvalRun }) {
  const { shift } = run;
  if (shift === null) return <Text size="sm">{whyNone(run)}</Text>;
  const parts = shift.parts.toSorted((a, b) => b.contribution - a.contribution);
  return (
    <Stack gap="sm">
      <div>
        <b className={figures.big}>{figure(shift.raw_shift)}</b>{" "}
        <span className={classes.dim}>
          raw shift, the mean distance to {counted(shift.baselines.length, "baseline")}
        </span>
      </div>
      <Text size="sm">
        {shift.moved === null ? (
          "Nothing differs."
        ) : (
          <>
            <b>{PART_NAMES[shift.moved]}</b> moved most. How much of it is noise, only several runs together
            can tell:{" "}
            <TextLink
              to="/evals/compare"
              search={{ scenario_id: run.scenario_id, baseline: shift.compared_with, variation: run.id }}
              underline="always"
            >
              see its cell
            </TextLink>
            .
          </>
        )}
      </Text>
      <ul className={figures.parts} aria-label="Parts of the raw shift">
        {parts.map(({ part, contribution, first_difference }) => (
          <li key={part}>
            <span>{PART_NAMES[part]}</span>
            <span className={classes.number}>{figure(contribution)}</span>
            <span className={figures.share} aria-hidden>
              <span className={figures.contribution} style={{ width: `${contribution * 100}%` }} />
            </span>
            {first_difference && (
              <div className={classes.differs}>
                <code>{first_difference.where}</code>
                <del>{told(first_difference.baseline)}</del>
                <ins>{told(first_difference.variation)}</ins>
              </div>
            )}
          </li>
        ))}
      </ul>
      <Text size="xs" c="var(--ody-text-dim)">
        Differences are told against run {shift.compared_with}, the most typical baseline. Baselines:{" "}
        {shift.baselines.slice(0, MOST_LISTED).map((id, at) => (
          <span key={id}>
            {at > 0 && ", "}
            <TextLink to="/evals/runs/$runId" params={{ runId: id }} inherit underline="always">
              {id}
            </TextLink>
          </span>
        ))}
        {shift.baselines.length > MOST_LISTED && ` and ${shift.baselines.length - MOST_LISTED} more`}.
      </Text>
    </Stack>
  );
}

/** A value, or a call with its arguments. */
function told(value: unknown): string {
  if (value === null) return "nothing";
  const isCall = isMembers(value) && typeof value.tool === "string" && Object.keys(value).length === 2;
  return isCall ? `${value.tool} ${short(value.arguments)}` : short(value);
}

function whyNone({ behaviour, distance_version, raw_shift }: EvalRun): string {
  if (behaviour === null) return "There is no behaviour to compare.";
  if (distance_version !== DISTANCE_VERSION) {
    const was = raw_shift === null ? "" : ` Its raw shift was ${figure(raw_shift)}.`;
    return `It was measured with an earlier distance, so it is compared with no other run any more.${was}`;
  }
  return "There is no baseline of this version of scenario and agent to compare it with.";
}
