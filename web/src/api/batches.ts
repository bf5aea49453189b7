/** Batches, many runs asked for at once: what pages ask the server for about them. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, data } from "~/api/client";
import type { paths } from "~/api/schema";

export type Batch = Awaited<ReturnType<typeof readBatch>>;
/** The share of runs that may say nothing of the agent before a gate cannot tell, unless somebody says otherwise. */
export const MAX_UNMEASURED = 0.1;

export type Estimate = NonNullable<Batch["pass_rate"]>;
export type PassK = Batch["pass_k"][number];
export type Comparison = Awaited<ReturnType<typeof readComparison>>;
export type ComparedRow = Comparison["rows"][number];
export type BatchRows =
  paths["/api/batches/{batch_id}/rows"]["get"]["responses"]["200"]["content"]["application/json"];
export type BatchRow = BatchRows["items"][number];
export type RowRun = BatchRow["runs"][number];

export interface BatchFilters {
  agent_id?: number;
  dataset_id?: number;
  cursor?: string;
}

export const BATCHES_PER_PAGE = 50;
const ASK_AGAIN_MS = 1_500;

/** Whether its figures may still change by themselves. */
export function moves({ status, verdicts }: Batch): boolean {
  return status === "checking" || status === "running" || verdicts.PENDING > 0;
}

/** One page of batches, newest first; asked again while one of them moves. */
export const batchesQuery = (filters: BatchFilters, limit = BATCHES_PER_PAGE) =>
  queryOptions({
    queryKey: ["batches", "list", filters, limit],
    queryFn: ({ signal }) =>
      data(api.GET("/api/batches", { params: { query: { ...filters, limit } }, signal })),
    refetchInterval: ({ state }) => (state.data?.items.some(moves) ? ASK_AGAIN_MS : false),
    placeholderData: keepPreviousData,
  });

function readBatch(batchId: number, signal: AbortSignal) {
  return data(api.GET("/api/batches/{batch_id}", { params: { path: { batch_id: batchId } }, signal }));
}

export const batchQuery = (batchId: number) =>
  queryOptions({
    queryKey: ["batches", batchId],
    queryFn: ({ signal }) => readBatch(batchId, signal),
    refetchInterval: ({ state }) => (state.data && moves(state.data) ? ASK_AGAIN_MS : false),
  });

export const ROWS_PER_PAGE = 100;

export const batchRowsQuery = (batchId: number, cursor: string | undefined) =>
  queryOptions({
    queryKey: ["batches", batchId, "rows", cursor],
    queryFn: ({ signal }): Promise<BatchRows> =>
      data(
        api.GET("/api/batches/{batch_id}/rows", {
          params: {
            path: { batch_id: batchId },
            query: { limit: ROWS_PER_PAGE, ...(cursor !== undefined && { cursor }) },
          },
          signal,
        }),
      ),
  });

function readComparison(batchId: number, other: number, cursor: string | undefined, signal: AbortSignal) {
  const query = { with: other, limit: ROWS_PER_PAGE, ...(cursor !== undefined && { cursor }) };
  const params = { path: { batch_id: batchId }, query };
  return data(api.GET("/api/batches/{batch_id}/compare", { params, signal }));
}

export const comparisonQuery = (batchId: number, other: number, cursor: string | undefined) =>
  queryOptions({
    queryKey: ["batches", batchId, "compare", other, cursor],
    queryFn: ({ signal }) => readComparison(batchId, other, cursor, signal),
    refetchInterval: ({ state }) =>
      state.data && (moves(state.data.a.batch) || moves(state.data.b.batch)) ? ASK_AGAIN_MS * 2 : false,
    placeholderData: keepPreviousData,
  });

export function batchExportPath(batchId: number, format: "csv" | "json" | "junit"): string {
  return `/api/batches/${batchId}/export?format=${format}`;
}
