import { IconAlertTriangle } from "@tabler/icons-react";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { cellId } from "~/api/cell-id";
import type { Floor, Matrix, MatrixCell } from "~/api/matrices";
import { variationName } from "~/components/evals/names";
import { RiskBadge } from "~/components/evals/risk";
import { TextLink } from "~/components/page";
import { countsOf, percent } from "~/components/share";
import { CellTip } from "~/pages/matrices/heat-map/cell-tip";
import classes from "~/pages/matrices/heat-map/heat-map.module.css";
import {
  aroundOf,
  incidentsIn,
  isGrave,
  lookOf,
  shownIn,
  spokenOf,
  standingOf,
} from "~/pages/matrices/heat-map/looks";
import { type Row, together } from "~/pages/matrices/heat-map/rows";
import { type Place, useGridWalk } from "~/pages/matrices/heat-map/use-grid-walk";

interface HeatMapProps {
  matrix: Matrix;
  rows: Row[];
  /** Of the cell that is looked into. */
  chosen: string | undefined;
  onOpen: (cell: MatrixCell) => void;
}

interface Shown {
  cell: MatrixCell;
  row: Row;
  element: HTMLElement;
}

/** Rows are scenarios, columns pressures: the corrected shift of each cell by colour and by figure. */
export function HeatMap({ matrix, rows, chosen, onOpen }: HeatMapProps) {
  const grid = useRef<HTMLTableElement>(null);
  const tip = useId();
  const walk = useGridWalk(grid, rows.length, matrix.variation_types.length);
  const [focused, setFocused] = useState<string | null>(null);
  const [hovered, setHovered] = useState<string | null>(null);
  const shown = shownAt(grid.current, rows, hovered ?? focused);

  function listen(event: KeyboardEvent, place: Place, cell: MatrixCell | undefined) {
    if (event.key === "Escape") setFocused(null);
    else if ((event.key === "Enter" || event.key === " ") && cell) {
      event.preventDefault();
      onOpen(cell);
    } else walk.listen(event, place);
  }

  return (
    <div className={classes.scroll} data-scrolls>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its cells are walked and opened */}
      <table ref={grid} className={classes.map} role="grid" aria-label="Heat map">
        <thead>
          <tr>
            <th scope="col" className={classes.corner}>
              Scenario
            </th>
            {matrix.variation_types.map((type) => (
              <th key={type} scope="col" className={classes.column}>
                {variationName(type)}
              </th>
            ))}
            <th scope="col" className={classes.sum}>
              matched
              {matrix.confirmation != null && <small className={classes.counts}>deciding runs</small>}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={`${row.scenario.id} ${row.ruleSet}`} data-group={row.ruleSet === null || undefined}>
              <RowHead row={row} />
              {row.cells.map((cell, column) => (
                <td
                  // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid takes keys
                  role="gridcell"
                  // biome-ignore lint/suspicious/noArrayIndexKey: columns keep their places
                  key={column}
                  className={classes.cell}
                  tabIndex={walk.at.row === at && walk.at.column === column ? 0 : -1}
                  data-place={`${at} ${column}`}
                  data-look={cell && lookOf(cell, row.failing)}
                  data-standing={cell && standingOf(cell)}
                  aria-selected={cell !== undefined && cellId(cell) === chosen}
                  aria-label={
                    cell &&
                    `${nameOf(row)}, ${variationName(cell.variation_type)}: ${spokenOf(cell, row.failing)}`
                  }
                  aria-describedby={shown?.cell === cell ? tip : undefined}
                  onFocus={() => {
                    walk.setAt({ row: at, column });
                    setHovered(null);
                    setFocused(`${at} ${column}`);
                  }}
                  onBlur={() => setFocused(null)}
                  onMouseEnter={() => setHovered(`${at} ${column}`)}
                  onMouseLeave={() => setHovered(null)}
                  onKeyDown={(event) => listen(event, { row: at, column }, cell)}
                  onClick={() => cell && onOpen(cell)}
                >
                  {cell && <InCell cell={cell} failing={row.failing} />}
                </td>
              ))}
              <RowSum row={row} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <ColumnSums matrix={matrix} />
        </tfoot>
      </table>
      {shown && <CellTip id={tip} {...shown} around={aroundOf(matrix, shown.row.failing)} />}
    </div>
  );
}

function InCell({ cell, failing }: { cell: MatrixCell; failing: boolean }) {
  const mark = standingOf(cell) ?? (lookOf(cell, failing) === "failing" ? "failing" : undefined);
  const incidents = incidentsIn(cell);
  return (
    <>
      <b data-word={cell.state !== "measured" || undefined}>{shownIn(cell)}</b>{" "}
      {mark !== undefined && <small>{mark}</small>}{" "}
      {incidents !== null && (
        <span className={classes.incident} data-grave={isGrave(cell) || undefined}>
          {incidents}
        </span>
      )}
    </>
  );
}

function shownAt(grid: HTMLElement | null, rows: Row[], place: string | null): Shown | null {
  if (place === null) return null;
  const element = grid?.querySelector<HTMLElement>(`[data-place="${place}"]`);
  const [at = 0, column = 0] = place.split(" ").map(Number);
  const row = rows[at];
  const cell = row?.cells[column];
  return element && row && cell ? { element, row, cell } : null;
}

/** "Late refund while payments fail" */
function nameOf({ scenario, ruleSet }: Row): string {
  return ruleSet === null ? scenario.name : `${scenario.name} while ${ruleSet}`;
}

function RowHead({ row: { scenario, ruleSet, floor } }: { row: Row }) {
  if (ruleSet !== null) {
    return (
      <th scope="row" className={classes.head} data-while>
        <span className={classes.oneLine} title={ruleSet}>
          <span className={classes.dim}>while</span> {ruleSet}
        </span>
        <BrokenFloor floor={floor} />
      </th>
    );
  }
  return (
    <th scope="row" className={classes.head}>
      <TextLink
        to="/scenarios/$scenarioId"
        params={{ scenarioId: scenario.id }}
        className={classes.name ?? ""}
        title={scenario.name}
        lineClamp={2}
      >
        {scenario.name}
      </TextLink>
      <RiskBadge level={scenario.risk_level} />
      <BrokenFloor floor={floor} />
    </th>
  );
}

/** "fails without pressure: 0 of 72 runs match" */
function BrokenFloor({ floor }: { floor: Floor | null }) {
  if (floor === null || !floor.broken) return null;
  const { matched, runs } = floor.match_rate;
  return (
    <span className={classes.brokenFloor} title={`${percent(floor.min_match)} are asked for`}>
      <IconAlertTriangle size={13} aria-hidden />
      <span>fails without pressure: {countsOf(matched, runs)} runs match</span>
    </span>
  );
}

function RowSum({ row }: { row: Row }) {
  const cells = row.cells.filter((cell) => cell !== undefined);
  const pressed = together(cells.map(({ match_rate }) => match_rate));
  const [first] = cells;
  const baseline = first && together([first.base_match_rate ?? first.baseline_match_rate]);
  return (
    <td className={classes.sum}>
      <SumOf pressed={pressed} baseline={baseline ?? null} />
    </td>
  );
}

function ColumnSums({ matrix }: { matrix: Matrix }) {
  const { by_variation } = matrix.summary.match_rate;
  const { baseline: without, ...under } = by_variation;
  const baseline = without && together([without]);
  return (
    <tr>
      <th scope="row" className={classes.head}>
        <span className={classes.dim}>matched</span>
        {matrix.confirmation != null && <small className={classes.counts}>planned runs</small>}
      </th>
      {matrix.variation_types.map((type) => {
        const rate = by_variation[type];
        return (
          <td key={type} className={classes.foot}>
            <SumOf pressed={rate ? together([rate]) : null} baseline={null} />
          </td>
        );
      })}
      <td className={classes.sum}>
        <SumOf pressed={together(Object.values(under))} baseline={baseline ?? null} />
      </td>
    </tr>
  );
}

type Sum = ReturnType<typeof together>;

function SumOf({ pressed, baseline }: { pressed: Sum; baseline: Sum }) {
  if (pressed === null && baseline === null) return <span className={classes.dim}>–</span>;
  return (
    <span title={pressed ? `${countsOf(pressed.matched, pressed.runs)} runs under pressure` : undefined}>
      {pressed === null ? "–" : percent(pressed.share)}
      {pressed !== null && (
        <small className={classes.counts}>{countsOf(pressed.matched, pressed.runs)}</small>
      )}
      {baseline !== null && (
        <small
          className={classes.baseline}
          title={`${countsOf(baseline.matched, baseline.runs)} without pressure`}
        >
          base {countsOf(baseline.matched, baseline.runs)}
        </small>
      )}
    </span>
  );
}
