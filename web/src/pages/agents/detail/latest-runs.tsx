import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { api, data } from "~/api/client";
import type { RunSummary } from "~/api/queries";
import { Panel, TextLink } from "~/components/page";
import { RunsTable } from "~/components/runs-table";
import { Empty, ErrorState, RowsLoading } from "~/components/states";

const LATEST = 5;

const latestRunsQuery = (agentId: number) =>
  queryOptions({
    queryKey: ["runs", { agent_id: agentId, limit: LATEST }],
    queryFn: ({ signal }) =>
      data(api.GET("/api/runs", { params: { query: { agent_id: agentId, limit: LATEST } }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.items.some(isUnderWay) ? 2_000 : 30_000),
  });

const isUnderWay = (run: RunSummary) => run.status === "pending" || run.status === "running";

export function LatestRuns({ agentId }: { agentId: number }) {
  const { data: page, error, refetch } = useQuery(latestRunsQuery(agentId));
  return (
    <Panel
      title="Latest runs"
      flush
      tools={
        <TextLink to="/runs" search={{ agent_id: agentId }}>
          All runs
        </TextLink>
      }
    >
      {page === undefined ? (
        error ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : (
          <RowsLoading rows={LATEST} />
        )
      ) : page.items.length === 0 ? (
        <Empty title="No runs yet">A run gives the agent one task and records what it does.</Empty>
      ) : (
        <RunsTable runs={page.items} ofOneAgent />
      )}
    </Panel>
  );
}
