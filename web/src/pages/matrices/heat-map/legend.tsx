import type { Matrix } from "~/api/matrices";
import classes from "~/pages/matrices/heat-map/heat-map.module.css";
import { LOOKS, lookOf, MEANS } from "~/pages/matrices/heat-map/looks";

/** What colours, patterns and frames mean, with how many cells are so. */
export function Legend({ matrix }: { matrix: Matrix }) {
  const counts = LOOKS.map(
    (look) => [look, matrix.cells.filter((cell) => lookOf(cell) === look).length] as const,
  );
  return (
    <ul className={classes.legend} aria-label="Legend">
      {counts
        .filter(([look, count]) => count > 0 || look === "green" || look === "amber" || look === "red")
        .map(([look, count]) => (
          <li key={look}>
            <i className={classes.swatch} data-look={look} aria-hidden />
            <b>{count}</b> {MEANS[look]}
          </li>
        ))}
      <li>
        <i className={classes.swatch} data-look="red" data-standing="flagged" aria-hidden />
        <b>{matrix.cells.filter(({ flagged, confirmed }) => flagged && !confirmed).length}</b> flagged: above
        the threshold of the risk, but it may be noise
      </li>
      <li>
        <i className={classes.swatch} data-look="red" data-standing="confirmed" aria-hidden />
        <b>{matrix.summary.confirmed}</b> confirmed: not noise
      </li>
    </ul>
  );
}
