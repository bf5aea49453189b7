/** Datasets, whose rows are tasks: what pages ask the server for about them. */
import { queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";

export type Dataset = Schemas["DatasetOut"];
export type Lint = Schemas["LintOut"];
export type Note = Schemas["NoteOut"];
export type Audit = Schemas["AuditOut"];
export type Ungradable = Schemas["UngradableOut"];

/** Rows as they are sent. */
export interface Content {
  format: "csv" | "json";
  text: string;
}

/** Every dataset: an organisation has tens, and they are chosen by name. */
export const datasetsQuery = queryOptions({
  queryKey: ["datasets"],
  queryFn: async ({ signal }) => {
    const datasets: Dataset[] = [];
    let cursor: string | null = null;
    do {
      const query: { limit: number; cursor?: string } =
        cursor === null ? { limit: 200 } : { limit: 200, cursor };
      const page: Schemas["DatasetsPage"] = await data(
        api.GET("/api/datasets", { params: { query }, signal }),
      );
      datasets.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return datasets;
  },
});

export const datasetQuery = (datasetId: number) =>
  queryOptions({
    queryKey: ["datasets", datasetId],
    queryFn: ({ signal }) =>
      data(api.GET("/api/datasets/{dataset_id}", { params: { path: { dataset_id: datasetId } }, signal })),
  });

export const ROWS_PER_PAGE = 100;

/** One page of the rows of a revision, which never changes. */
export const rowsQuery = (datasetId: number, revision: number, cursor: string | undefined) =>
  queryOptions({
    queryKey: ["datasets", datasetId, "rows", revision, cursor],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/datasets/{dataset_id}/rows", {
          params: {
            path: { dataset_id: datasetId },
            query: { limit: ROWS_PER_PAGE, ...(cursor !== undefined && { cursor }) },
          },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** All rows as CSV: every number and text exactly as it was uploaded. */
export const tableQuery = (datasetId: number, revision: number) =>
  queryOptions({
    queryKey: ["datasets", datasetId, "table", revision],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/datasets/{dataset_id}/export", {
          params: { path: { dataset_id: datasetId }, query: { format: "csv" } },
          parseAs: "text",
          signal,
        }),
      ) as Promise<string>,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Which rows of a revision can never get a PASS; that changes with the judge, so it is asked again. */
export const ungradableQuery = (datasetId: number, revision: number) =>
  queryOptions({
    queryKey: ["datasets", datasetId, "ungradable", revision],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/datasets/{dataset_id}/ungradable", {
          params: { path: { dataset_id: datasetId } },
          signal,
        }),
      ),
  });

/** Which rows useless agents pass and which nobody can; with an agent, they have its tools. */
export const auditQuery = (datasetId: number, revision: number, agentId: number | undefined) =>
  queryOptions({
    queryKey: ["datasets", datasetId, "audit", revision, agentId],
    queryFn: ({ signal }) =>
      data(
        api.POST("/api/datasets/{dataset_id}/audit", {
          params: {
            path: { dataset_id: datasetId },
            query: agentId === undefined ? {} : { agent_id: agentId },
          },
          signal,
        }),
      ),
  });

export function exportPath(dataset: Dataset, format: "csv" | "json"): string {
  return `/api/datasets/${dataset.id}/export?format=${format}`;
}

export const templatePath = (format: "csv" | "json") => `/api/datasets/template?format=${format}`;

/** The body as it stands, with the type that says what it is. */
function sent({ format, text }: Content) {
  return {
    body: text as never,
    bodySerializer: (body: unknown) => body as string,
    headers: { "Content-Type": format === "csv" ? "text/csv" : "application/json" },
  };
}

export function lintRows(content: Content, agentId: number | undefined, signal: AbortSignal): Promise<Lint> {
  const query = agentId === undefined ? {} : { agent_id: agentId };
  return data(api.POST("/api/datasets/lint", { params: { query }, ...sent(content), signal }));
}

export function uploadDataset(name: string, content: Content): Promise<Dataset> {
  return data(api.POST("/api/datasets", { params: { query: { name } }, ...sent(content) }));
}

/** Other rows: a new revision. */
export function replaceRows(datasetId: number, content: Content): Promise<Dataset> {
  const path = { dataset_id: datasetId };
  return data(api.PUT("/api/datasets/{dataset_id}", { params: { path }, ...sent(content) }));
}

export function renameDataset(datasetId: number, name: string): Promise<Dataset> {
  const params = { path: { dataset_id: datasetId }, query: { name } };
  return data(api.PUT("/api/datasets/{dataset_id}", { params }));
}
