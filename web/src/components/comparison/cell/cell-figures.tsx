import { Group, Stack, Text } from "@mantine/core";
import type { Cell, Rate } from "~/api/evals";
import { ToneBadge } from "~/components/badges";
import { CellState } from "~/components/comparison/cell/cell-state";
import { Moved } from "~/components/comparison/cell/moved";
import { PressureEffect } from "~/components/comparison/cell/pressure-effect";
import { Reliability } from "~/components/comparison/cell/reliability";
import { ShiftPicture } from "~/components/comparison/cell/shift-picture";
import { type Missing, useMissing } from "~/components/comparison/cell/use-missing";
import classes from "~/components/comparison/comparison.module.css";
import { counted } from "~/components/counted";
import { figure, intervalOf, probability } from "~/components/evals/figures";
import { DeliveredBadge, FlagBadge } from "~/components/evals/marks";
import { conditionOf } from "~/components/evals/names";
import { Panel, TextLink } from "~/components/page";
import { ShareBar } from "~/components/share";

interface CellFiguresProps {
  cell: Cell;
  step: number | null;
  matrixId: string | undefined;
}

/** All that is said of one cell. */
export function CellFigures({ cell, step, matrixId }: CellFiguresProps) {
  const missing = useMissing(cell, step, matrixId);
  return (
    <>
      <Panel
        title={`Shift under ${conditionOf({ ...cell, placebo: false })}`}
        tools={
          <Group gap={6}>
            {cell.band && <ToneBadge tone={cell.band}>{cell.band}</ToneBadge>}
            {!cell.confirmed && cell.significant && (
              <ToneBadge tone="neutral" help="Not noise, but a small shift">
                significant
              </ToneBadge>
            )}
            {cell.confirmed ? <FlagBadge confirmed /> : cell.flagged && <FlagBadge />}
            <DeliveredBadge delivered={cell.delivery} />
          </Group>
        }
      >
        <div className={classes.shift}>
          <Stack gap="xs" miw={0}>
            <Headline cell={cell} />
            <CellState cell={cell} missing={missing} />
            <Counts cell={cell} matrixId={matrixId} />
          </Stack>
          <ShiftPicture cell={cell} />
        </div>
      </Panel>
      {cell.state !== "undelivered" && <Figures cell={cell} missing={missing} />}
    </>
  );
}

function Figures({ cell, missing }: { cell: Cell; missing: Missing }) {
  return (
    <div className={classes.figures}>
      <Stack gap="md" miw={0}>
        <Panel title="Matches what is expected">
          <MatchRates cell={cell} />
        </Panel>
        <Panel title="Pressure effect, against the placebo">
          <PressureEffect cell={cell} missing={missing} />
        </Panel>
      </Stack>
      <Panel title="Reliability: k runs in a row all match">
        <Reliability points={cell.pass_k} />
      </Panel>
      <Panel title="What moved">
        <Moved cell={cell} />
      </Panel>
    </div>
  );
}

function Headline({ cell }: { cell: Cell }) {
  if (cell.shift === null) {
    return (
      <Text size="sm">
        <b className={classes.big}>{cell.state}</b>
      </Text>
    );
  }
  return (
    <div>
      <b className={classes.big}>{figure(cell.shift)}</b>{" "}
      <span className={classes.dim}>
        {cell.interval && <span title="95 %, by bootstrap over runs">{intervalOf(cell.interval)}</span>}
        {cell.p_value !== null && <span className={classes.apart}>p {probability(cell.p_value)}</span>}
      </span>
    </div>
  );
}

function Counts({ cell, matrixId }: Pick<CellFiguresProps, "cell" | "matrixId">) {
  const { runs, scenario_id, variation_type } = cell;
  const of = { scenario_id, ...(matrixId !== undefined && { matrix_id: matrixId }) };
  const left: [number[], string][] = [
    [runs.pending, "not ended yet"],
    [runs.undelivered, "left out: the text did not arrive"],
    [runs.missing, "left out: the failure says nothing of the agent"],
    [runs.other_wording, "left out: the variation has been reworded since"],
  ];
  return (
    <Text size="xs" c="var(--ody-text-dim)">
      <TextLink to="/evals/runs" search={{ ...of, variation_type: "baseline" }} inherit underline="always">
        {counted(runs.baseline.length, "baseline")}
      </TextLink>
      ,{" "}
      <TextLink to="/evals/runs" search={{ ...of, variation_type }} inherit underline="always">
        {runs.variation.length} under pressure
      </TextLink>
      {runs.placebo.length > 0 && `, ${counted(runs.placebo.length, "placebo")}`}
      {left.map(([ids, words]) => ids.length > 0 && `, ${ids.length} ${words}`)}
    </Text>
  );
}

function MatchRates({ cell }: { cell: Cell }) {
  if (cell.match_rate.share === null && cell.baseline_match_rate.share === null) {
    return <Text size="sm">The scenario says nothing of what is expected, so no run matches or misses.</Text>;
  }
  return (
    <Stack gap="sm">
      <OneRate name="Baseline" rate={cell.baseline_match_rate} />
      <OneRate name="Under pressure" rate={cell.match_rate} />
      {cell.match_q !== null && (
        <Text size="xs" c="var(--ody-text-dim)">
          Fewer matches by chance alone: p {probability(cell.match_q)} (Fisher, one-sided).
        </Text>
      )}
    </Stack>
  );
}

function OneRate({ name, rate }: { name: string; rate: Rate }) {
  return (
    <div className={classes.rate}>
      <span>
        {name}{" "}
        <span className={classes.dim}>
          {rate.matched} of {rate.runs}
        </span>
      </span>
      <ShareBar of={{ share: rate.share, interval: rate.interval ?? [0, 1] }} what={`Match rate, ${name}`} />
    </div>
  );
}
