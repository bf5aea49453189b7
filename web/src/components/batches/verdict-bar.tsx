import type { Batch } from "~/api/batches";
import { toneColor } from "~/components/badges";
import classes from "~/components/batches/batches.module.css";
import { partsOf } from "~/components/batches/outcomes";

/** All runs of a batch in one bar, with the counts in words below; its height never changes. */
export function VerdictBar({ batch }: { batch: Batch }) {
  const parts = partsOf(batch);
  return (
    <div>
      <Bar batch={batch} />
      <ul className={classes.legend} aria-label="Runs by outcome">
        {parts.map(({ what, count, tone }) => (
          <li key={what} style={count === 0 ? { color: "var(--ody-text-dim)" } : {}}>
            <i aria-hidden style={{ background: toneColor(tone) }} />
            <b>{count.toLocaleString("en")}</b> {what}
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Bar({ batch, thin = false }: { batch: Batch; thin?: boolean }) {
  const parts = partsOf(batch).filter(({ count, what }) => count > 0 && what !== "waiting");
  const label = parts.map(({ what, count }) => `${count} ${what}`).join(", ") || "nothing has run yet";
  return (
    <div
      className={classes.bar}
      data-thin={thin || undefined}
      role="img"
      aria-label={`Of ${batch.planned_runs} runs: ${label}`}
    >
      {parts.map(({ what, count, tone }) => (
        <span
          key={what}
          style={{
            width: `${(count / Math.max(batch.planned_runs, 1)) * 100}%`,
            background: toneColor(tone),
          }}
        />
      ))}
    </div>
  );
}
