import { cellId } from "~/api/cell-id";
import type { ChangedCell, MatricesCompared, MatrixCell } from "~/api/matrices";
import { type Tone, ToneBadge } from "~/components/badges";
import { type Column, DataTable } from "~/components/data-table";
import { intervalOf } from "~/components/evals/figures";
import { variationName } from "~/components/evals/names";
import { TextLink } from "~/components/page";
import { countsOf } from "~/components/share";
import type { Failing } from "~/pages/matrices/compare/use-failing";
import heat from "~/pages/matrices/heat-map/heat-map.module.css";
import { incidentsIn, lookOf, saidOf, shownIn, standingOf } from "~/pages/matrices/heat-map/looks";
import classes from "~/pages/matrices/matrices.module.css";

const CHANGE: Record<ChangedCell["change"], [Tone, string]> = {
  regressed: ["red", "↓ regressed"],
  improved: ["green", "↑ improved"],
  same: ["neutral", "= same"],
  not_comparable: ["neutral", "? not comparable"],
};

interface ChangesTableProps {
  compared: MatricesCompared;
  cells: ChangedCell[];
  failing: Failing;
}

export function ChangesTable({ compared, cells, failing }: ChangesTableProps) {
  const columns: Column<ChangedCell>[] = [
    {
      id: "change",
      title: "Change",
      width: 130,
      render: ({ change }) => <ToneBadge tone={CHANGE[change][0]}>{CHANGE[change][1]}</ToneBadge>,
    },
    {
      id: "cell",
      title: "Cell",
      width: "40%",
      render: (cell) => (
        <div className={classes.named}>
          {variationName(cell.variation_type)} <span className={classes.dim}>on</span> {cell.scenario_name}
          {cell.rule_set !== null && (
            <>
              {" "}
              <span className={classes.dim}>while</span> {cell.rule_set}
            </>
          )}
        </div>
      ),
    },
    {
      id: "before",
      title: "Before",
      width: 120,
      render: ({ before }) => <Side matrixId={compared.before.id} cell={before} failing={failing.before} />,
    },
    {
      id: "after",
      title: "After",
      width: 120,
      render: ({ after }) => <Side matrixId={compared.after.id} cell={after} failing={failing.after} />,
    },
    {
      id: "matched",
      title: "Matched",
      width: 130,
      wide: true,
      render: ({ before, after }) => (
        <span className={classes.number}>
          {matchedOf(before)} → {matchedOf(after)}
        </span>
      ),
    },
  ];
  return <DataTable label="Changes" columns={columns} rows={cells} rowKey={(cell) => cellId(cell)} />;
}

/** "2 of 8": how few the runs of one cell are matters more than their share. */
function matchedOf(cell: MatrixCell | null): string {
  if (cell?.match_rate.share == null) return "–";
  return countsOf(cell.match_rate.matched, cell.match_rate.runs);
}

interface SideProps {
  matrixId: string;
  cell: MatrixCell | null;
  failing: Failing["before"];
}

function Side({ matrixId, cell, failing }: SideProps) {
  if (cell === null) return <span className={classes.dim}>not there</span>;
  return (
    <>
      <TextLink
        to="/matrices/$matrixId"
        params={{ matrixId }}
        search={{ cell: cellId(cell) }}
        className={`${classes.shift} ${heat.tint}`}
        data-look={lookOf(cell, failing(cell))}
        data-standing={standingOf(cell)}
        title={saidOf(cell, { failing: failing(cell) })}
        underline="never"
      >
        {shownIn(cell)}
      </TextLink>
      {cell.incidents.length > 0 && <span className={classes.interval}>{incidentsIn(cell)}</span>}
      {cell.interval && <span className={classes.interval}>{intervalOf(cell.interval)}</span>}
    </>
  );
}
