import { useThrottledCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type EvalRunFilters, type EvalRunSummary, evalRunsQuery } from "~/api/evals";
import { type LiveState, useLiveRuns } from "~/api/live-runs";
import { useLatest } from "~/components/use-latest";

const REFETCH_MS = 1_000;

interface EvalRunList {
  rows: EvalRunSummary[];
  /** Runs that are new and not shown yet. */
  waiting: number;
  reveal: () => void;
  live: LiveState;
  nextCursor: string | null;
  /** Another list is on its way; the rows are still those of the last one. */
  stale: boolean;
  pending: boolean;
  error: Error | null;
  retry: () => void;
}

/** `quiet`: the reader sees the top of the list and touches no row, so rows may move down. */
export function useEvalRunList(filters: EvalRunFilters, quiet: boolean): EvalRunList {
  const key = JSON.stringify(filters);
  const { data, isPlaceholderData, error, refetch } = useQuery(evalRunsQuery(filters));
  const [shown, setShown] = useState<{ of: string | null; rows: EvalRunSummary[] }>({ of: null, rows: [] });
  const fresh = data === undefined || isPlaceholderData ? undefined : data.items;
  if (fresh !== undefined && shown.of !== key) setShown({ of: key, rows: fresh });

  const isQuiet = useLatest(quiet);
  useEffect(() => {
    if (fresh === undefined) return;
    setShown((before) => {
      if (before.of !== key || isQuiet.current || before.rows.length === 0) return { of: key, rows: fresh };
      const byId = new Map(fresh.map((run) => [run.id, run]));
      return { of: key, rows: before.rows.map((run) => byId.get(run.id) ?? run) };
    });
  }, [fresh, key, isQuiet]);

  // The stream tells of runs and not of what is read off them; it says that the list is worth asking for again.
  const askAgain = useThrottledCallback(() => void refetch(), REFETCH_MS);
  const live = useLiveRuns({ onOpen: () => void refetch(), onRuns: askAgain });

  const newest = shown.rows[0]?.id ?? 0;
  const takesNew = filters.cursor == null && filters.sort == null;
  const waiting = takesNew ? (fresh ?? []).filter(({ id }) => id > newest).length : 0;
  const reveal = () => fresh && setShown({ of: key, rows: fresh });
  useEffect(() => {
    if (quiet && waiting > 0 && fresh !== undefined) setShown({ of: key, rows: fresh });
  }, [quiet, waiting, fresh, key]);

  return {
    rows: shown.rows,
    waiting,
    reveal,
    live,
    nextCursor: data?.next_cursor ?? null,
    stale: isPlaceholderData,
    pending: shown.of === null,
    error: data === undefined ? error : null,
    retry: () => void refetch(),
  };
}
