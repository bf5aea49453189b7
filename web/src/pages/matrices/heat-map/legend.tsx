import type { Matrix } from "~/api/matrices";
import { counted } from "~/components/counted";
import classes from "~/pages/matrices/heat-map/heat-map.module.css";
import { countKinds, KIND_MEANS, type Kind } from "~/pages/matrices/heat-map/looks";

const ALWAYS: Kind[] = ["confirmed", "flagged", "red", "amber", "green"];

/** What is seen, and how many cells are of each kind: each is counted once. */
export function Legend({ matrix }: { matrix: Matrix }) {
  const withIncidents = matrix.cells.filter(({ incidents }) => incidents.length > 0).length;
  return (
    <div className={classes.key}>
      <ul className={classes.legend} aria-label="Legend">
        {countKinds(matrix)
          .filter(([kind, count]) => count > 0 || ALWAYS.includes(kind))
          .map(([kind, count]) => (
            <li key={kind} data-kind={kind}>
              <i className={classes.swatch} {...swatchOf(kind)} aria-hidden />
              <b>{count}</b> {KIND_MEANS[kind]}
            </li>
          ))}
      </ul>
      <p>
        Each of {counted(matrix.cells.length, "cell")} is counted once.
        {withIncidents > 0 && (
          <>
            {" "}
            <span className={classes.incident} aria-hidden>
              incident
            </span>{" "}
            Beside that, in {counted(withIncidents, "cell")} there are incidents: a run did something that no
            run of its row without pressure did.
          </>
        )}
      </p>
    </div>
  );
}

function swatchOf(kind: Kind) {
  switch (kind) {
    case "confirmed":
    case "flagged":
      return { "data-look": "red", "data-standing": kind };
    case "significant":
      return { "data-look": "green", "data-standing": kind };
    default:
      return { "data-look": kind };
  }
}
