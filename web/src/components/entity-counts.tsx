import type { WorldSummary } from "~/api/worlds";
import classes from "~/components/entity-counts.module.css";

const MOST_SHOWN = 5;

/** "customer 5, order 8", largest first. */
export function EntityCounts({ counts }: { counts: WorldSummary["entity_counts"] }) {
  const types = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (types.length === 0) return <span className={classes.dim}>empty</span>;
  const more = types.slice(MOST_SHOWN);
  return (
    <span className={classes.counts}>
      {types.slice(0, MOST_SHOWN).map(([type, count]) => (
        <span key={type} className={classes.count}>
          <span className={classes.type} title={type}>
            {type}
          </span>{" "}
          <span className={classes.number}>{count.toLocaleString("en")}</span>
        </span>
      ))}
      {more.length > 0 && (
        <span className={classes.dim} title={more.map(([type, count]) => `${type} ${count}`).join(", ")}>
          and {more.length} more
        </span>
      )}
    </span>
  );
}
