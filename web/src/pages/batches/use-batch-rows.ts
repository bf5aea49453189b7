import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type Batch, type BatchRow, type BatchRows, batchRowsQuery, moves } from "~/api/batches";
import { useLiveRuns } from "~/api/live-runs";
import type { RunSummary } from "~/api/queries";

export const MOST_FILTERED = 2_000;

export interface RowsFilter {
  show?: "failing" | undefined;
  mode?: string | undefined;
}

interface Shown {
  /** Undefined until they have been read. */
  rows: BatchRow[] | undefined;
  next: string | undefined;
  /** Not all rows were looked at for the filter. */
  partial: boolean;
  stale: boolean;
  error: Error | null;
  retry: () => void;
}

/** A page of rows, or of the first many those that fit; runs change where they stand. */
export function useBatchRows(batch: Batch, cursor: string | undefined, filter: RowsFilter): Shown {
  const client = useQueryClient();
  const filtered = filter.show !== undefined || filter.mode !== undefined;
  const page = useQuery({
    ...batchRowsQuery(batch.id, cursor),
    placeholderData: keepPreviousData,
    enabled: !filtered,
  });
  const many = useQuery({
    queryKey: ["batches", batch.id, "rows", "many"],
    enabled: filtered,
    queryFn: async (): Promise<BatchRows> => {
      const items: BatchRow[] = [];
      let next: string | null = null;
      do {
        const part: BatchRows = await client.fetchQuery({
          ...batchRowsQuery(batch.id, next ?? undefined),
          staleTime: 0,
        });
        items.push(...part.items);
        next = part.next_cursor;
      } while (next !== null && items.length < MOST_FILTERED);
      return { items, next_cursor: next };
    },
  });

  const live = moves(batch);
  useLiveRuns({
    onOpen: () => void client.invalidateQueries({ queryKey: ["batches", batch.id, "rows"] }),
    onRuns: (runs) => {
      const ours = runs.filter(({ batch_id }) => batch_id === batch.id);
      if (ours.length === 0) return;
      client.setQueriesData<BatchRows>(
        { queryKey: ["batches", batch.id, "rows"] },
        (rows) => rows && withRuns(rows, ours),
      );
    },
  });
  const before = useRef(live);
  useEffect(() => {
    if (before.current && !live) void client.invalidateQueries({ queryKey: ["batches", batch.id, "rows"] });
    before.current = live;
  }, [live, client, batch.id]);

  const used = filtered ? many : page;
  return {
    rows: used.data?.items.filter((row) => fits(row, filter)),
    next: filtered ? undefined : (used.data?.next_cursor ?? undefined),
    partial: filtered && used.data?.next_cursor != null,
    stale: used.isPlaceholderData,
    error: used.data === undefined ? used.error : null,
    retry: () => void used.refetch(),
  };
}

function fits({ fails, runs }: BatchRow, { show, mode }: RowsFilter): boolean {
  if (show === "failing" && fails === 0) return false;
  return mode === undefined || runs.some(({ failure_mode }) => failure_mode === mode);
}

/** The rows with what has become of these runs meanwhile. */
function withRuns(rows: BatchRows, news: RunSummary[]): BatchRows {
  return {
    ...rows,
    items: rows.items.map((row) => {
      const changed = news.filter(({ task_id }) => task_id === row.task_id);
      return changed.length === 0 ? row : counted(row, changed);
    }),
  };
}

function counted(row: BatchRow, news: RunSummary[]): BatchRow {
  const byId = new Map(row.runs.map((run) => [run.id, run]));
  for (const { id, repeat, status, verdict, failure_mode } of news) {
    byId.set(id, { id, repeat, status, verdict, failure_mode });
  }
  const runs = [...byId.values()].sort((a, b) => a.repeat - b.repeat);
  const count = (verdict: string) => runs.filter((run) => run.verdict === verdict).length;
  return {
    ...row,
    runs,
    passes: count("PASS"),
    fails: count("FAIL"),
    pending: count("PENDING"),
    not_applicable: count("NOT APPLICABLE"),
  };
}
