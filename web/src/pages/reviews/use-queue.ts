import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type ReviewFilters, type ReviewItem, reviewItemsQuery } from "~/api/reviews";

interface Queue {
  items: ReviewItem[];
  /** Those of the organisation that wait for a verdict, whatever the filters. */
  open: number | undefined;
  /** The item further down by so many; of two ends the nearest. */
  away: (steps: number) => ReviewItem | undefined;
  /** The next that waits for a verdict, from the chosen one on and then from the front. */
  nextOpen: () => ReviewItem | undefined;
  hasMore: boolean;
  more: () => void;
  loadingMore: boolean;
  pending: boolean;
  /** Another list is on its way; the rows are still those of the last one. */
  stale: boolean;
  error: Error | null;
  retry: () => void;
}

/** What is looked through, and where in it the chosen item stands, or stood before it left the list. */
export function useQueue(filters: ReviewFilters, chosen: string | undefined): Queue {
  const query = useInfiniteQuery(reviewItemsQuery(filters));
  const all = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const items = filters.status === "open" ? all.filter(({ status }) => status === "open") : all;
  const place = useRef(0);
  const index = items.findIndex(({ id }) => id === chosen);
  useEffect(() => {
    if (index >= 0) place.current = index;
  }, [index]);

  function away(steps: number): ReviewItem | undefined {
    const from = index >= 0 ? index : place.current - (steps > 0 ? 1 : 0);
    return items[Math.min(Math.max(from + steps, 0), items.length - 1)];
  }

  function nextOpen(): ReviewItem | undefined {
    const from = index >= 0 ? index : place.current;
    const others = [...items.slice(from), ...items.slice(0, from)];
    return others.find(({ id, status }) => id !== chosen && status === "open");
  }

  return {
    items,
    open: query.data?.pages.at(-1)?.open,
    away,
    nextOpen,
    hasMore: query.hasNextPage,
    more: () => void query.fetchNextPage(),
    loadingMore: query.isFetchingNextPage,
    pending: query.isPending,
    stale: query.isPlaceholderData,
    error: query.data === undefined ? query.error : null,
    retry: () => void query.refetch(),
  };
}
