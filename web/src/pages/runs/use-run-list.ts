import { keepPreviousData } from "@tanstack/react-query";
import { type RunFilters, type RunSummary, runsQuery } from "~/api/queries";
import { type LiveList, type LiveRows, useLiveList } from "~/components/live-list/use-live-list";
import { belongs, changed, changedInPlace, revealed, settled } from "~/pages/runs/live-rows";

/** The stream speaks of the newest 200 runs only; whatever still moves is asked for now and then as well. */
const ASK_AGAIN_MS = 15_000;
const MOST_ROWS = 200;

/** `quiet`: the reader sees the top of the list and touches no row, so rows may move down. */
export function useRunList(filters: RunFilters, quiet: boolean): LiveList<RunSummary> {
  const takesNew = filters.cursor == null && filters.sort == null;
  const settle = (read: RunSummary[], before: LiveRows<RunSummary>) =>
    settled(
      read,
      before.rows.filter((run) => belongs(run, filters) === true),
    );
  return useLiveList({
    key: JSON.stringify(filters),
    quiet,
    query: (shown: RunSummary[]) => ({
      ...runsQuery(filters),
      placeholderData: keepPreviousData,
      refetchInterval: shown.some(moves) ? ASK_AGAIN_MS : false,
    }),
    onRead: (before, read) => (takesNew && quiet ? settle(read, before) : changed(before, read, takesNew)),
    onRuns: (runs, { update, readAgain }) => {
      const answers = runs.map((run) => belongs(run, filters));
      const wanted = runs.filter((_, index) => answers[index] === true);
      const others = runs.filter((_, index) => answers[index] !== true);
      update((rows) => changed(changedInPlace(rows, others), wanted, takesNew));
      if (answers.includes(null)) void readAgain();
    },
    onReveal: ({ rows, waiting }, _, { update, readAgain }) => {
      update(revealed);
      if (rows.length + waiting.length <= MOST_ROWS) return;
      void readAgain().then((read) => read && update((before) => settle(read, before)));
    },
  });
}

function moves({ status, verdict }: RunSummary): boolean {
  return status === "pending" || status === "running" || verdict === "PENDING";
}
