import { type QueryKey, type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useEffectEvent, useState } from "react";
import { type LiveState, useLiveRuns } from "~/api/live-runs";
import type { RunSummary } from "~/api/queries";

export interface LiveRows<Row> {
  rows: Row[];
  /** They belong into the list and are not shown yet. */
  waiting: Row[];
}

export interface LiveList<Row> {
  /** Undefined until they have been read. */
  rows: Row[] | undefined;
  waiting: number;
  reveal: () => void;
  live: LiveState;
  nextCursor: string | null;
  /** Another list is on its way; the rows are still those of the last one. */
  stale: boolean;
  error: Error | null;
  retry: () => void;
}

/** What a kind of list does to its rows. */
export interface LiveListControl<Row> {
  update: (step: (before: LiveRows<Row>) => LiveRows<Row>) => void;
  /** Undefined when the list could not be read. */
  readAgain: () => Promise<Row[] | undefined>;
}

interface LiveListOptions<Row, Page, Key extends QueryKey> {
  /** Another key is another list. */
  key: string;
  /** How the list is read, given the rows that are shown. */
  query: (shown: Row[]) => UseQueryOptions<Page, Error, Page, Key>;
  /** Nobody minds when rows move: those that wait are shown. */
  quiet: boolean;
  /** The rows after the list was read. */
  onRead: (before: LiveRows<Row>, read: Row[]) => LiveRows<Row>;
  /** The stream told of these runs. */
  onRuns: (runs: RunSummary[], control: LiveListControl<Row>) => void;
  /** The waiting rows are wanted; `read` is the list as it was read last, undefined while another one is. */
  onReveal: (shown: LiveRows<Row>, read: Row[] | undefined, control: LiveListControl<Row>) => void;
}

/** A page of a list whose rows change where they stand while new ones wait for a reader who is ready for them. */
export function useLiveList<
  Row,
  Page extends { items: Row[]; next_cursor: string | null },
  Key extends QueryKey,
>(options: LiveListOptions<Row, Page, Key>): LiveList<Row> {
  const { key, query, quiet, onRead, onRuns, onReveal } = options;
  const [shown, setShown] = useState<LiveRows<Row> & { of: string | null }>({
    rows: [],
    waiting: [],
    of: null,
  });
  const { data, isPlaceholderData, error, refetch } = useQuery(query(shown.rows));
  const read = data === undefined || isPlaceholderData ? undefined : data.items;
  if (read !== undefined && shown.of !== key) setShown({ rows: read, waiting: [], of: key });

  const update = useCallback<LiveListControl<Row>["update"]>((step) => {
    setShown((before) => ({ ...step(before), of: before.of }));
  }, []);
  const control: LiveListControl<Row> = {
    update,
    readAgain: async () => (await refetch()).data?.items,
  };

  const merge = useEffectEvent((items: Row[]) => update((before) => onRead(before, items)));
  useEffect(() => {
    if (read !== undefined) merge(read);
  }, [read]);

  const live = useLiveRuns({
    onOpen: () => void refetch(),
    onRuns: (runs) => onRuns(runs, control),
  });

  const waiting = shown.waiting.length;
  const reveal = () => onReveal(shown, read, control);
  const revealNow = useEffectEvent(reveal);
  useEffect(() => {
    if (quiet && waiting > 0) revealNow();
  }, [quiet, waiting]);

  const failed = data === undefined ? error : null;
  return {
    rows: failed !== null || shown.of === null ? undefined : shown.rows,
    waiting,
    reveal,
    live,
    nextCursor: data?.next_cursor ?? null,
    stale: isPlaceholderData,
    error: failed,
    retry: () => void refetch(),
  };
}
