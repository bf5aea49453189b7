import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { type LiveState, useLiveRuns } from "~/api/live-runs";
import { type RunFilters, type RunSummary, runsQuery } from "~/api/queries";
import { useLatest } from "~/components/use-latest";
import { belongs, changed, changedInPlace, type LiveRows, revealed, settled } from "~/pages/runs/live-rows";

/** The stream speaks of the newest 200 runs only; whatever still moves is asked for now and then as well. */
const ASK_AGAIN_MS = 15_000;
const MOST_ROWS = 200;

interface RunList {
  rows: RunSummary[];
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
export function useRunList(filters: RunFilters, quiet: boolean): RunList {
  const key = JSON.stringify(filters);
  const takesNew = filters.cursor == null && filters.sort == null;
  const [shown, setShown] = useState<LiveRows & { of: string | null }>({ ...settled([]), of: null });
  const moving = shown.rows.some(
    ({ status, verdict }) => status === "pending" || status === "running" || verdict === "PENDING",
  );
  const { data, isPlaceholderData, error, refetch } = useQuery({
    ...runsQuery(filters),
    placeholderData: keepPreviousData,
    refetchInterval: moving ? ASK_AGAIN_MS : false,
  });
  if (data !== undefined && !isPlaceholderData && shown.of !== key)
    setShown({ ...settled(data.items), of: key });
  const update = useCallback((step: (rows: LiveRows) => LiveRows) => {
    setShown((before) => ({ ...step(before), of: before.of }));
  }, []);

  const now = useLatest({ quiet, filters });
  const settle = useCallback(
    (read: RunSummary[], before: LiveRows) =>
      settled(
        read,
        before.rows.filter((run) => belongs(run, now.current.filters) === true),
      ),
    [now],
  );
  useEffect(() => {
    if (data === undefined || isPlaceholderData) return;
    const mayMove = takesNew && now.current.quiet;
    update((rows) => (mayMove ? settle(data.items, rows) : changed(rows, data.items, takesNew)));
  }, [data, isPlaceholderData, takesNew, update, settle, now]);

  const live = useLiveRuns({
    onOpen: () => void refetch(),
    onRuns: (runs) => {
      const answers = runs.map((run) => belongs(run, filters));
      const wanted = runs.filter((_, index) => answers[index] === true);
      const others = runs.filter((_, index) => answers[index] !== true);
      update((rows) => changed(changedInPlace(rows, others), wanted, takesNew));
      if (answers.includes(null)) void refetch();
    },
  });

  const waiting = shown.waiting.length;
  const tooMany = shown.rows.length + waiting > MOST_ROWS;
  const reveal = useCallback(() => {
    update(revealed);
    if (!tooMany) return;
    void refetch().then(({ data: fresh }) => fresh && update((rows) => settle(fresh.items, rows)));
  }, [tooMany, refetch, update, settle]);
  useEffect(() => {
    if (quiet && waiting > 0) reveal();
  }, [quiet, waiting, reveal]);

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
