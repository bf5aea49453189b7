/** Scenarios, what agents are tried with under pressure: what pages ask the server for about them. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";
import type { paths } from "~/api/schema";

export type Scenario = Schemas["ScenarioOut"];
export type ScenarioSummary = Schemas["ScenarioSummary"];
export type ScenarioBody = Schemas["ScenarioIn"];
export type RiskLevel = ScenarioSummary["risk_level"];
export type Imported = Schemas["ImportedScenarios"];
export type EvalRunsBody = Schemas["EvalRunsIn"];
export type FileFormat = "yaml" | "json";

export interface ScenarioFilters {
  q?: string;
  tag?: string;
  risk_level?: RiskLevel;
}

export const SCENARIOS_PER_PAGE = 50;

type ScenarioSort = NonNullable<
  NonNullable<paths["/api/v1/eval/scenarios"]["get"]["parameters"]["query"]>["sort"]
>;
export type ScenarioField = Exclude<ScenarioSort, `-${string}`>;

/** One page of scenarios, newest first unless they are sorted. */
export const scenariosQuery = (
  filters: ScenarioFilters & { cursor?: string; sort?: ScenarioSort } = {},
  limit = SCENARIOS_PER_PAGE,
) =>
  queryOptions({
    queryKey: ["scenarios", "list", filters, limit],
    queryFn: ({ signal }) =>
      data(api.GET("/api/v1/eval/scenarios", { params: { query: { ...filters, limit } }, signal })),
    placeholderData: keepPreviousData,
  });

export const scenarioQuery = (scenarioId: string) =>
  queryOptions({
    queryKey: ["scenarios", scenarioId],
    queryFn: ({ signal }) => readScenario(scenarioId, {}, signal),
  });

/** An earlier version, which never changes. */
export const scenarioVersionQuery = (scenarioId: string, version: number) =>
  queryOptions({
    queryKey: ["scenarios", scenarioId, "versions", version],
    queryFn: ({ signal }) => readScenario(scenarioId, { version }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });

function readScenario(scenarioId: string, query: { version?: number }, signal: AbortSignal) {
  const params = { path: { scenario_id: scenarioId }, query };
  return data(api.GET("/api/v1/eval/scenarios/{scenario_id}", { params, signal }));
}

export function createScenario(body: ScenarioBody): Promise<Scenario> {
  return data(api.POST("/api/v1/eval/scenarios", { body }));
}

export function changeScenario(scenarioId: string, body: Partial<ScenarioBody>): Promise<Scenario> {
  const params = { path: { scenario_id: scenarioId } };
  return data(
    api.PUT("/api/v1/eval/scenarios/{scenario_id}", { params, body: body as Schemas["ScenarioChange"] }),
  );
}

export async function deleteScenario(scenarioId: string): Promise<void> {
  await api.DELETE("/api/v1/eval/scenarios/{scenario_id}", {
    params: { path: { scenario_id: scenarioId } },
  });
}

/** All scenarios of the file or none. */
export function importScenarios(format: FileFormat, text: string): Promise<Imported> {
  return data(
    api.POST("/api/v1/eval/scenarios/import", {
      body: text as never,
      bodySerializer: (body: unknown) => body as string,
      headers: { "Content-Type": `application/${format}` },
    }),
  );
}

/** The scenarios that fit, or the ones with these ids, as a file. */
export function exportPath(format: FileFormat, filters: ScenarioFilters & { ids?: string[] } = {}): string {
  const { ids = [], ...rest } = filters;
  const query = new URLSearchParams([
    ...Object.entries(rest),
    ...ids.map((id) => ["id", id]),
    ["format", format],
  ]);
  return `/api/v1/eval/scenarios/export?${query}`;
}

/** A baseline that had to be run as well comes first. */
export function startEvalRuns(body: EvalRunsBody) {
  return data(api.POST("/api/v1/eval/runs", { body }));
}
