/** The review queue: what pages ask the server for about it. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";
import type { paths } from "~/api/schema";

export type ReviewItem = Schemas["ReviewItem"];
export type GivenVerdict = Schemas["VerdictOut"];
export type Verdict = GivenVerdict["verdict"];
export type Source = ReviewItem["source"];
export type ReviewFigures = Schemas["ReviewFigures"];
export type Precision = Schemas["Precision"];
export type SuggestedThreshold = Schemas["SuggestedThreshold"];

export type ReviewFilters = Omit<
  NonNullable<paths["/api/v1/review/items"]["get"]["parameters"]["query"]>,
  "limit" | "cursor"
>;

export const REVIEWS = ["reviews"];
export const MOST_NOTES = 5000;
const PER_PAGE = 50;
const LOOK_AGAIN_MS = 15_000;

/** The queue from its front, or what is decided, newest verdict first; further pages when they are asked for. */
export const reviewItemsQuery = (filters: ReviewFilters) =>
  infiniteQueryOptions({
    queryKey: [...REVIEWS, "list", filters],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...filters, limit: PER_PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return data(api.GET("/api/v1/review/items", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: LOOK_AGAIN_MS,
    placeholderData: keepPreviousData,
  });

export const reviewItemQuery = (itemId: string) =>
  queryOptions({
    queryKey: [...REVIEWS, "item", itemId],
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/review/items/{item_id}", { params: { path: { item_id: itemId } }, signal })),
  });

/** How many items wait for a verdict. */
export const openReviewsQuery = queryOptions({
  queryKey: [...REVIEWS, "open"],
  queryFn: async ({ signal }) => {
    const query = { status: "open", limit: 1 } as const;
    return (await data(api.GET("/api/v1/review/items", { params: { query }, signal }))).open;
  },
  refetchInterval: LOOK_AGAIN_MS,
});

/** The item in which a run waits for its verdict, or null. */
export async function openItemOf(runId: number): Promise<ReviewItem | null> {
  const query = { status: "open", run_id: runId, limit: 1 } as const;
  return (await data(api.GET("/api/v1/review/items", { params: { query } }))).items[0] ?? null;
}

export const reviewFiguresQuery = queryOptions({
  queryKey: [...REVIEWS, "figures"],
  queryFn: ({ signal }) => data(api.GET("/api/v1/review/figures", { signal })),
});

export function giveVerdict(itemId: string, body: Schemas["VerdictIn"]): Promise<ReviewItem> {
  return data(
    api.POST("/api/v1/review/items/{item_id}/verdict", { params: { path: { item_id: itemId } }, body }),
  );
}

export function submitRun(body: Schemas["ManualItem"]): Promise<ReviewItem> {
  return data(api.POST("/api/v1/review/items", { body }));
}
