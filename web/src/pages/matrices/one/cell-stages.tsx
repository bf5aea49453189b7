import { Text } from "@mantine/core";
import type { Matrix, MatrixCell, Stage } from "~/api/matrices";
import { type Column, DataTable } from "~/components/data-table";
import { figure, probability } from "~/components/evals/figures";
import { Panel } from "~/components/page";
import { judgedOn } from "~/pages/matrices/heat-map/looks";
import classes from "~/pages/matrices/matrices.module.css";

const COLUMNS: Column<Stage>[] = [
  {
    id: "name",
    title: "Runs",
    render: ({ name, runs, baseline_runs }) => (
      <>
        {name} runs{" "}
        <span className={classes.dim}>
          {runs} under pressure, {baseline_runs} without
        </span>
      </>
    ),
  },
  { id: "shift", title: "Shift", render: ({ shift }) => number(shift === null ? "–" : figure(shift)) },
  { id: "p", title: "p", render: ({ p_value }) => chance(p_value) },
  { id: "q", title: "q", render: ({ q_value }) => chance(q_value) },
];

/** How the cell looked by its first runs and by its fresh ones, and which of them decide. */
export function CellStages({ matrix, cell }: { matrix: Matrix; cell: MatrixCell }) {
  const { stages, pressure_effect } = cell;
  const on = judgedOn(cell);
  if (on === null) return null;
  return (
    <Panel title="First and fresh runs" flush={stages.length > 1}>
      {stages.length > 1 && (
        <DataTable label="First and fresh runs" columns={COLUMNS} rows={stages} rowKey={({ name }) => name} />
      )}
      <Text size="sm" {...(stages.length > 1 && { px: "md", py: "xs" })}>
        Judged on {on}.
        {stages.length > 1 && matrix.placebo && pressure_effect !== null && (
          <span className={classes.dim}> The effect against the placebo is of the first runs.</span>
        )}
      </Text>
    </Panel>
  );
}

function number(value: string) {
  return <span className={`${classes.number} ${classes.nowrap}`}>{value}</span>;
}

function chance(value: number | null) {
  return number(value === null ? "–" : probability(value).replace("= ", ""));
}
