import { Link } from "@tanstack/react-router";
import type { RunSummary } from "~/api/queries";
import { toneColor } from "~/components/badges";
import { failureMode } from "~/components/failure-modes";
import { statusTone } from "~/components/status-tone";
import classes from "~/pages/home/home.module.css";
import { RUN_STATUSES } from "~/routes";

const VERDICTS = { PASS: "passed", FAIL: "not passed" };
type Graded = keyof typeof VERDICTS;

/** How many of these runs ended how; each count leads to all runs that ended so. */
export function OutcomeCounts({ runs }: { runs: RunSummary[] }) {
  const errorClasses = counted(runs.filter((run) => run.status === "failed").map((run) => run.error_class));
  const verdicts = counted(runs.map(({ verdict }) => (verdict in VERDICTS ? (verdict as Graded) : null)));
  const failed = runs.filter((run) => run.status === "completed" && run.verdict === "FAIL");
  const modes = counted(failed.map((run) => run.failure_mode));
  return (
    <div className={classes.counts}>
      <ul aria-label="By status">
        {RUN_STATUSES.map((status) => {
          const count = runs.filter((run) => run.status === status).length;
          return (
            count > 0 && (
              <li key={status}>
                <Link to="/runs" search={{ status: [status] }}>
                  <i aria-hidden style={{ backgroundColor: toneColor(statusTone(status)) }} />
                  <b>{count}</b> {status}
                </Link>
              </li>
            )
          );
        })}
      </ul>
      {verdicts.length > 0 && (
        <ul aria-label="By verdict">
          {verdicts.map(([verdict, count]) => (
            <li key={verdict}>
              <Link to="/runs" search={{ verdict }}>
                <i aria-hidden style={{ backgroundColor: toneColor(verdict === "PASS" ? "green" : "red") }} />
                <b>{count}</b> {VERDICTS[verdict]}
              </Link>
            </li>
          ))}
          {modes.map(([mode, count]) => (
            <li key={mode}>
              <Link to="/runs" search={{ verdict: "FAIL" }} title={failureMode(mode).means}>
                <b>{count}</b> {failureMode(mode).words}
              </Link>
            </li>
          ))}
        </ul>
      )}
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

function counted<Word extends string>(words: (Word | null)[]): [Word, number][] {
  const counts = new Map<Word, number>();
  for (const word of words) if (word !== null) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a);
}
