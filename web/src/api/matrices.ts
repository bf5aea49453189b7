/** Matrices, every scenario under every variation: what pages ask the server for about them. */
import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import { cellId } from "~/api/cell-id";
import { api, data, type Schemas } from "~/api/client";
import type { Cell } from "~/api/evals";
import type { paths } from "~/api/schema";

export type Matrix = Schemas["MatrixOut"];
export type MatrixSummary = Schemas["MatrixSummary"];
export type MatrixCell = Schemas["MatrixCell"];
export type MatrixScenario = Schemas["MatrixScenario"];
export type MatrixBody = Schemas["MatrixIn"];
export type MatrixStatus = Matrix["status"];
export type Progress = Schemas["Progress"];
export type Incident = Schemas["IncidentOut"];
export type Stage = Schemas["StageOut"];
export type Floor = Schemas["FloorOut"];
export type GateFinding = Schemas["GateFinding"];
export type Bands = Schemas["Bands"];
export type MatricesCompared = Schemas["MatricesCompared"];
export type ChangedCell = Schemas["ChangedCell"];
export type EvalSummary = Schemas["SummaryOut"];
export type VersionEvaluated = Schemas["VersionEvaluated"];
export type MatrixFormat = "json" | "junit" | "markdown" | "html" | "report";

export type MatrixFilters = Omit<
  NonNullable<paths["/api/v1/eval/matrix"]["get"]["parameters"]["query"]>,
  "limit"
>;

export const MATRICES_PER_PAGE = 50;
/** What runs are compared with today; those of an earlier one keep their figures and are compared no more. */
export const DISTANCE_VERSION = 2;
const ASK_AGAIN_MS = 1_500;

/** One page of matrices, newest first; asked again while one of them goes on. */
export const matricesQuery = (filters: MatrixFilters, limit = MATRICES_PER_PAGE) =>
  queryOptions({
    queryKey: ["matrices", "list", filters, limit],
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/eval/matrix", { params: { query: { ...filters, limit } }, signal })),
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === "running") ? ASK_AGAIN_MS : false,
    placeholderData: keepPreviousData,
  });

/** One matrix with all its cells; its page follows it by its stream. */
export const matrixQuery = (matrixId: string) =>
  queryOptions({
    queryKey: ["matrices", matrixId],
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/eval/matrix/{matrix_id}", { params: { path: { matrix_id: matrixId } }, signal })),
  });

export const matricesComparedQuery = (before: string, after: string) =>
  queryOptions({
    queryKey: ["matrices", before, "compare", after],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/v1/eval/matrix/{matrix_id}/compare", {
          params: { path: { matrix_id: before }, query: { with: after } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) =>
      state.data && [state.data.before, state.data.after].some(({ status }) => status === "running")
        ? ASK_AGAIN_MS * 2
        : false,
  });

/** The newest finished matrix of every agent in figures. */
export const evalSummaryQuery = queryOptions({
  queryKey: ["matrices", "summary"],
  queryFn: ({ signal }) => data(api.GET("/api/v1/eval/summary", { signal })),
});

export function startMatrix(body: MatrixBody) {
  return data(api.POST("/api/v1/eval/matrix", { body }));
}

export function cancelMatrix(matrixId: string) {
  const params = { path: { matrix_id: matrixId } };
  return data(api.POST("/api/v1/eval/matrix/{matrix_id}/cancel", { params }));
}

export function resumeMatrix(matrixId: string) {
  const params = { path: { matrix_id: matrixId } };
  return data(api.POST("/api/v1/eval/matrix/{matrix_id}/resume", { params }));
}

/** The same selection as a new matrix, with everything as it is now. */
export function rerunMatrix(matrixId: string) {
  const params = { path: { matrix_id: matrixId } };
  return data(api.POST("/api/v1/eval/matrix/{matrix_id}/rerun", { params }));
}

export function matrixExportPath(matrixId: string, format: MatrixFormat): string {
  return `/api/v1/eval/matrix/${matrixId}/export?format=${format}`;
}

/** Whatever is shown of matrices may have changed. */
export function matricesChanged(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ["matrices"] });
}

/** What a cell rests on beyond its figures: the two typical runs, what moved, how often k runs in a row match. */
export const cellEvidenceQuery = (matrix: Matrix, cell: MatrixCell) =>
  queryOptions({
    queryKey: ["matrices", matrix.id, "cell", cellId(cell), cell.runs],
    queryFn: ({ signal }): Promise<Cell> => {
      const wanted = {
        scenario_id: cell.scenario_id,
        variation_type: cell.variation_type,
        agent_id: matrix.agent_id,
        agent_version: matrix.agent_version,
        ...versionOf(matrix, cell),
        matrix_id: matrix.id,
        ...(cell.rule_set !== null && { rule_set: cell.rule_set }),
        delivery: matrix.delivery,
        dose: matrix.dose,
        ...(matrix.step !== null && { step: matrix.step }),
      };
      return data(api.GET("/api/v1/eval/compare", { params: { query: wanted }, signal }));
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before, query) => (query?.queryKey[3] === cellId(cell) ? before : undefined),
  });

function versionOf(matrix: Matrix, cell: MatrixCell): { scenario_version?: number } {
  const scenario = matrix.scenarios.find(({ id }) => id === cell.scenario_id);
  return scenario === undefined ? {} : { scenario_version: scenario.version };
}
