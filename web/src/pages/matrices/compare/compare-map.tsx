import type { ChangedCell, MatricesCompared, MatrixCell } from "~/api/matrices";
import { variationName } from "~/components/evals/names";
import type { Failing } from "~/pages/matrices/compare/use-failing";
import heat from "~/pages/matrices/heat-map/heat-map.module.css";
import {
  incidentsIn,
  isGrave,
  lookOf,
  saidOf,
  shownIn,
  spokenOf,
  standingOf,
} from "~/pages/matrices/heat-map/looks";
import classes from "~/pages/matrices/matrices.module.css";

interface Row {
  key: string;
  name: string;
  ruleSet: string | null;
  cells: Map<string, ChangedCell>;
}

interface CompareMapProps {
  compared: MatricesCompared;
  failing: Failing;
}

/** Both heat maps in one: in each cell what was above what is. */
export function CompareMap({ compared: { cells }, failing }: CompareMapProps) {
  const columns = [...new Set(cells.map(({ variation_type }) => variation_type))].toSorted();
  const rows = rowsOf(cells);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className={heat.scroll} tabIndex={0} aria-label="Both heat maps" data-scrolls>
      <table className={heat.map} aria-label="Before and after in every cell">
        <thead>
          <tr>
            <th scope="col" className={heat.corner}>
              Scenario
            </th>
            {columns.map((type) => (
              <th key={type} scope="col" className={heat.column}>
                {variationName(type)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row" className={heat.head}>
                <span className={heat.name} title={row.name}>
                  {row.name}
                </span>
                {row.ruleSet !== null && <span className={heat.dim}> while {row.ruleSet}</span>}
              </th>
              {columns.map((type) => {
                const cell = row.cells.get(type);
                return (
                  <td key={type} className={classes.pair} data-change={cell?.change}>
                    {cell && (
                      <>
                        <Half name="before" cell={cell.before} failing={failing.before} />
                        <Half name="after" cell={cell.after} failing={failing.after} />
                      </>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface HalfProps {
  name: keyof Failing;
  cell: MatrixCell | null;
  failing: Failing["before"];
}

function Half({ name, cell, failing }: HalfProps) {
  if (cell === null) return <span className={classes.half}>–</span>;
  const fails = failing(cell);
  const incidents = incidentsIn(cell);
  return (
    <span
      className={`${classes.half} ${heat.tint}`}
      data-look={lookOf(cell, fails)}
      data-standing={standingOf(cell)}
      role="img"
      aria-label={`${name}: ${spokenOf(cell, fails)}`}
      title={`${name}: ${saidOf(cell, { failing: fails })}`}
    >
      {shownIn(cell)}{" "}
      {incidents !== null && (
        <span className={heat.incident} data-grave={isGrave(cell) || undefined}>
          {incidents}
        </span>
      )}
    </span>
  );
}

function rowsOf(cells: ChangedCell[]): Row[] {
  const rows = new Map<string, Row>();
  for (const cell of cells) {
    const key = `${cell.scenario_id} ${cell.rule_set ?? ""}`;
    const row = rows.get(key) ?? { key, name: cell.scenario_name, ruleSet: cell.rule_set, cells: new Map() };
    row.cells.set(cell.variation_type, cell);
    rows.set(key, row);
  }
  return [...rows.values()].toSorted(
    (a, b) => a.name.localeCompare(b.name) || (a.ruleSet ?? "").localeCompare(b.ruleSet ?? ""),
  );
}
