import { Link } from "@tanstack/react-router";
import type { RunSummary } from "~/api/queries";
import { toneColor } from "~/components/badges";
import classes from "~/pages/home/home.module.css";
import { outcomeOf } from "~/pages/home/outcome";
import { RUN_STATUSES } from "~/routes";

/** How many of these runs ended how; each count leads to all runs that ended so. */
export function OutcomeCounts({ runs }: { runs: RunSummary[] }) {
  const errorClasses = counted(runs.filter((run) => run.status === "failed").map((run) => run.error_class));
  return (
    <div className={classes.counts}>
      <ul aria-label="By status">
        {RUN_STATUSES.map((status) => {
          const these = runs.filter((run) => run.status === status);
          const [first] = these;
          return (
            first && (
              <li key={status}>
                <Link to="/runs" search={{ status: [status] }}>
                  <i
                    aria-hidden
                    style={{
                      backgroundColor: toneColor(status === "completed" ? "green" : outcomeOf(first).tone),
                    }}
                  />
                  <b>{these.length}</b> {status}
                </Link>
              </li>
            )
          );
        })}
      </ul>
      {errorClasses.length > 0 && (
        <ul aria-label="Failures by error class">
          {errorClasses.map(([errorClass, count]) => (
            <li key={errorClass}>
              <Link to="/runs" search={{ status: ["failed"], error_class: errorClass }}>
                <b>{count}</b> {errorClass}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function counted(words: (string | null)[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const word of words) if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
