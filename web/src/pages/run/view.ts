/** Everything the parts of the page need to know of a run, gathered once. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type AgentVersion, type Run, versionQuery } from "~/api/queries";
import { declaredActors } from "~/pages/run/model/actors";
import type { TraceEvent } from "~/pages/run/model/events";
import { type Trace, useTrace } from "~/pages/run/use-trace";

export interface RunView {
  run: Run;
  running: boolean;
  /** It has ended and waits for its verdict. */
  grading: boolean;
  /** undefined while it is loaded. */
  version: AgentVersion | undefined;
  trace: Trace;
  /** The attempt that is looked at. */
  attempt: number;
  /** Numbers of all attempts, ascending. */
  attempts: number[];
  /** Events of that attempt. */
  events: TraceEvent[];
  declared: Set<string> | null;
}

interface Wanted {
  attempt?: number | undefined;
  step?: number | undefined;
}

export function useRunView(run: Run, wanted: Wanted): RunView {
  const { data: version } = useQuery(versionQuery(run.agent_id, run.agent_version));
  const running = run.status === "pending" || run.status === "running";
  const grading = !running && run.verdict === "PENDING";
  const trace = useTrace(run.id, running || grading);
  const attempts = useMemo(
    () => [...new Set([...run.attempts, ...trace.events].map((one) => one.attempt))].sort((a, b) => a - b),
    [run.attempts, trace.events],
  );
  const attempt = wanted.attempt ?? attemptOf(trace.events, wanted.step) ?? attempts.at(-1) ?? 1;
  const events = useMemo(
    () => (attempts.length < 2 ? trace.events : trace.events.filter((event) => event.attempt === attempt)),
    [trace.events, attempts.length, attempt],
  );
  const declared = useMemo(() => declaredActors(version), [version]);
  return useMemo(
    () => ({ run, running, grading, version, trace, attempt, attempts, events, declared }),
    [run, running, grading, version, trace, attempt, attempts, events, declared],
  );
}

function attemptOf(events: TraceEvent[], step: number | undefined): number | undefined {
  return step === undefined ? undefined : events.find((event) => event.sequence === step)?.attempt;
}
