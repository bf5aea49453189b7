/** What pages ask the server for; one key per thing, so that a change to it reaches every page showing it. */
import { queryOptions } from "@tanstack/react-query";
import { api, data, type Schemas } from "~/api/client";
import type { paths } from "~/api/schema";
import { rememberCsrf } from "~/api/session";

export type Session = Schemas["SessionOut"];
export type Agent = Schemas["AgentOut"];
export type AgentVersion = Schemas["AgentVersionOut"];
export type Run = Schemas["RunOut"];
export type RunSummary = Schemas["RunSummary"];

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }) => {
    const session = await data(api.GET("/api/auth/session", { signal }));
    rememberCsrf(session.csrf_token);
    return session;
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Every agent: an organisation has tens, and names are needed wherever a run is shown. */
export const agentsQuery = queryOptions({
  queryKey: ["agents"],
  queryFn: async ({ signal }) => {
    const agents: Agent[] = [];
    let cursor: string | null = null;
    do {
      const query: { limit: number; cursor?: string } =
        cursor === null ? { limit: 200 } : { limit: 200, cursor };
      const page: Schemas["AgentsPage"] = await data(api.GET("/api/agents", { params: { query }, signal }));
      agents.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return agents;
  },
});

export const agentQuery = (agentId: number) =>
  queryOptions({
    queryKey: ["agents", agentId],
    queryFn: ({ signal }) =>
      data(api.GET("/api/agents/{agent_id}", { params: { path: { agent_id: agentId } }, signal })),
  });

/** How often simulated answers contradicted the world, in the runs of all its versions. */
export const consistencyQuery = (agentId: number) =>
  queryOptions({
    queryKey: ["agents", agentId, "consistency"],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/agents/{agent_id}/consistency", { params: { path: { agent_id: agentId } }, signal }),
      ),
  });

/** How each tool of the newest version will be simulated, told before the first run. */
export const readingsQuery = (agentId: number, version: number) =>
  queryOptions({
    queryKey: ["agents", agentId, "readings", version],
    queryFn: ({ signal }) =>
      data(api.GET("/api/agents/{agent_id}/readings", { params: { path: { agent_id: agentId } }, signal })),
  });

/** Every version, oldest first. */
export const versionsQuery = (agentId: number) =>
  queryOptions({
    queryKey: ["agents", agentId, "versions"],
    queryFn: async ({ signal }) => {
      const versions: AgentVersion[] = [];
      let cursor: string | null = null;
      do {
        const query: { limit: number; cursor?: string } =
          cursor === null ? { limit: 100 } : { limit: 100, cursor };
        const path = { agent_id: agentId };
        const page: Schemas["VersionsPage"] = await data(
          api.GET("/api/agents/{agent_id}/versions", { params: { path, query }, signal }),
        );
        versions.push(...page.items);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return versions;
    },
  });

export const versionQuery = (agentId: number, version: number) =>
  queryOptions({
    queryKey: ["agents", agentId, "versions", version],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/agents/{agent_id}/versions/{version}", {
          params: { path: { agent_id: agentId, version } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const runQuery = (runId: number) =>
  queryOptions({
    queryKey: ["runs", runId],
    queryFn: ({ signal }) =>
      data(api.GET("/api/runs/{run_id}", { params: { path: { run_id: runId } }, signal })),
  });

/** The world of an attempt right after an event; what happened does not change any more. */
export const ledgerQuery = (runId: number, attempt: number, at: number) =>
  queryOptions({
    queryKey: ["runs", runId, "ledger", attempt, at],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/runs/{run_id}/ledger", {
          params: { path: { run_id: runId }, query: { at, attempt } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const ledgerDiffQuery = (runId: number, attempt: number, from: number, to: number) =>
  queryOptions({
    queryKey: ["runs", runId, "ledger", attempt, "diff", from, to],
    queryFn: ({ signal }) =>
      data(
        api.GET("/api/runs/{run_id}/ledger/diff", {
          params: { path: { run_id: runId }, query: { from, to, attempt } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const RUNS_PER_PAGE = 50;

export type RunFilters = Omit<NonNullable<paths["/api/runs"]["get"]["parameters"]["query"]>, "limit">;

export type RunField = Exclude<NonNullable<RunFilters["sort"]>, `-${string}`>;

/** One page of runs, newest first unless they are sorted. */
export const runsQuery = (filters: RunFilters) =>
  queryOptions({
    queryKey: ["runs", "list", filters],
    queryFn: ({ signal }) =>
      data(api.GET("/api/runs", { params: { query: { ...filters, limit: RUNS_PER_PAGE } }, signal })),
  });

/** The newest run of an agent, or null. */
export const latestRunQuery = (agentId: number) =>
  queryOptions({
    queryKey: ["runs", "latest", agentId],
    queryFn: async ({ signal }) => {
      const query = { agent_id: agentId, limit: 1 };
      const page = await data(api.GET("/api/runs", { params: { query }, signal }));
      return page.items[0] ?? null;
    },
  });
