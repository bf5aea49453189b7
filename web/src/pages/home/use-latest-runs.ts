import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Schemas } from "~/api/client";
import { type LiveState, useLiveRuns } from "~/api/live-runs";
import { RUNS_PER_PAGE, type RunSummary, runsQuery } from "~/api/queries";

const latest = runsQuery({});

/** The newest page of runs, kept as new as the server says they are. */
export function useLatestRuns(): [UseQueryResult<Schemas["RunsPage"]>, LiveState] {
  const queryClient = useQueryClient();
  const live = useLiveRuns({
    onRuns: (changed) =>
      queryClient.setQueryData(
        latest.queryKey,
        (page) => page && { ...page, items: merge(page.items, changed) },
      ),
    onOpen: () => void queryClient.invalidateQueries({ queryKey: latest.queryKey }),
  });
  return [useQuery(latest), live];
}

function merge(shown: RunSummary[], changed: RunSummary[]): RunSummary[] {
  const runs = new Map([...shown, ...changed].map((run) => [run.id, run]));
  return [...runs.values()].sort((a, b) => b.id - a.id).slice(0, RUNS_PER_PAGE);
}
