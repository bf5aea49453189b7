/** Eval runs, and what can be said of many of them together: what pages ask the server for about them. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";
import type { paths } from "~/api/schema";

export type EvalRunSummary = Schemas["EvalRunSummary"];
export type EvalRun = Schemas["EvalRunOut"];
export type Behaviour = Schemas["BehaviourOut"];
export type Call = Schemas["CallOut"];
export type Finding = Schemas["FindingOut"];
export type ShiftExplained = Schemas["ShiftExplained"];
export type Part = ShiftExplained["parts"][number]["part"];
export type CellSummary = Schemas["CellSummary"];
export type Cell = Schemas["CompareOut"];
export type Shift = Schemas["ShiftOut"];
export type Rate = Schemas["RateOut"];
export type Delivery = NonNullable<EvalRunSummary["delivery"]>;
export type Delivered = NonNullable<EvalRunSummary["delivered"]>;

export type EvalRunFilters = Omit<
  NonNullable<paths["/api/v1/eval/runs"]["get"]["parameters"]["query"]>,
  "limit"
>;
export type EvalRunField = Exclude<NonNullable<EvalRunFilters["sort"]>, `-${string}`>;
export type CellQuery = paths["/api/v1/eval/compare"]["get"]["parameters"]["query"];

export const EVAL_RUNS_PER_PAGE = 50;
const ASK_AGAIN_MS = 1_500;
const LOOK_AGAIN_MS = 15_000;

/** Whether it goes on, or has ended and nobody has looked at it yet. */
export function moves({ status, observed_at }: EvalRunSummary): boolean {
  return status === "pending" || status === "running" || observed_at === null;
}

/** One page of eval runs, newest first; asked again while one of them moves. */
export const evalRunsQuery = (filters: EvalRunFilters, limit = EVAL_RUNS_PER_PAGE) =>
  queryOptions({
    queryKey: ["evals", "runs", "list", filters, limit],
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/eval/runs", { params: { query: { ...filters, limit } }, signal })),
    refetchInterval: ({ state }) => (state.data?.items.some(moves) ? ASK_AGAIN_MS : false),
    placeholderData: keepPreviousData,
  });

export const evalRunQuery = (runId: number) =>
  queryOptions({
    queryKey: ["evals", "runs", runId],
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/eval/runs/{eval_run_id}", { params: { path: { eval_run_id: runId } }, signal })),
    refetchInterval: ({ state }) => (state.data && moves(state.data) ? ASK_AGAIN_MS : false),
  });

/** What a scenario was run under; those of a matrix stand apart. Asked again, the sooner if something goes on. */
export type CellSource = Schemas["CellSource"];

export const cellsQuery = (scenarioId: string, matrixId: string | undefined) =>
  queryOptions({
    queryKey: ["evals", "cells", scenarioId, matrixId],
    queryFn: ({ signal }) => {
      const query = matrixId === undefined ? {} : { matrix_id: matrixId };
      const params = { path: { scenario_id: scenarioId }, query };
      return data(api.GET("/api/v1/eval/scenarios/{scenario_id}/cells", { params, signal }));
    },
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ pending }) => pending > 0) ? ASK_AGAIN_MS : LOOK_AGAIN_MS,
  });

/** One cell with all that can be said of it; `stamp` changes whenever its runs do. */
export const cellQuery = (cell: CellQuery, stamp: string) =>
  queryOptions({
    queryKey: ["evals", "cell", cell, stamp],
    queryFn: ({ signal }) => data(api.GET("/api/v1/eval/compare", { params: { query: cell }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });
