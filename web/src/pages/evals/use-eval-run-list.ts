import { useThrottledCallback } from "@mantine/hooks";
import { type EvalRunFilters, type EvalRunSummary, evalRunsQuery } from "~/api/evals";
import { type LiveList, useLiveList } from "~/components/live-list/use-live-list";

const REFETCH_MS = 1_000;

/** `quiet`: the reader sees the top of the list and touches no row, so rows may move down. */
export function useEvalRunList(filters: EvalRunFilters, quiet: boolean): LiveList<EvalRunSummary> {
  const takesNew = filters.cursor == null && filters.sort == null;
  // The stream tells of runs and not of what is read off them; it says that the list is worth asking for again.
  const askAgain = useThrottledCallback((readAgain: () => Promise<unknown>) => void readAgain(), REFETCH_MS);
  return useLiveList({
    key: JSON.stringify(filters),
    quiet,
    query: () => evalRunsQuery(filters),
    onRead: ({ rows }, read: EvalRunSummary[]) => {
      const newest = rows[0]?.id;
      if (quiet || newest === undefined) return { rows: read, waiting: [] };
      const byId = new Map(read.map((run) => [run.id, run]));
      return {
        rows: rows.map((run) => byId.get(run.id) ?? run),
        waiting: takesNew ? read.filter(({ id }) => id > newest) : [],
      };
    },
    onRuns: (_, { readAgain }) => askAgain(readAgain),
    onReveal: (_, read, { update }) => read && update(() => ({ rows: read, waiting: [] })),
  });
}
