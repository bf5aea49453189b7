import type { Matrix } from "~/api/matrices";
import { counted } from "~/components/counted";
import classes from "~/pages/matrices/heat-map/heat-map.module.css";
import {
  BANDS,
  failingRows,
  MEANS,
  rowKey,
  STANDING_MEANS,
  STANDINGS,
  type Standing,
  standingOf,
} from "~/pages/matrices/heat-map/looks";

const ALWAYS: Standing[] = ["confirmed", "flagged", "none"];

/** How many cells stand where, each counted once; below it what colours and frames mean. */
export function Legend({ matrix }: { matrix: Matrix }) {
  const failing = failingRows(matrix);
  const standings = matrix.cells.map((cell) => standingOf(cell, failing.has(rowKey(cell))));
  const count = (standing: Standing) => standings.filter((each) => each === standing).length;
  const withIncidents = matrix.cells.filter(({ incidents }) => incidents.length > 0).length;
  return (
    <>
      <ul className={classes.legend} aria-label="Legend">
        {STANDINGS.filter((standing) => count(standing) > 0 || ALWAYS.includes(standing)).map((standing) => (
          <li key={standing}>
            <i className={classes.swatch} {...swatchOf(standing)} aria-hidden />
            <b>{count(standing)}</b> {STANDING_MEANS[standing]}
          </li>
        ))}
      </ul>
      <ul className={classes.legend} aria-label="Marks" data-key>
        {BANDS.map((band) => (
          <li key={band}>
            <i className={classes.swatch} data-look={band} aria-hidden />
            {MEANS[band]}
          </li>
        ))}
        {withIncidents > 0 && (
          <li>
            <span className={classes.incident} aria-hidden>
              incident
            </span>
            <span>
              in {counted(withIncidents, "cell")}: something was done that no run without pressure did
            </span>
          </li>
        )}
      </ul>
    </>
  );
}

function swatchOf(standing: Standing) {
  switch (standing) {
    case "confirmed":
    case "flagged":
      return { "data-look": "red", "data-standing": standing };
    case "significant":
      return { "data-look": "green", "data-standing": standing };
    case "failing":
      return { "data-failing": true };
    case "none":
      return { "data-look": "green" };
    default:
      return { "data-look": standing };
  }
}
