import { Group, Text } from "@mantine/core";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, data } from "~/api/client";
import type { RunSummary } from "~/api/queries";
import { StatusBadge, VerdictBadge } from "~/components/badges";
import { type Column, DataTable } from "~/components/data-table";
import { Panel, TextLink } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { Ago } from "~/components/time";
import classes from "~/pages/agents/agents.module.css";

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

const COLUMNS: Column<RunSummary>[] = [
  {
    id: "run",
    title: "Run",
    width: 64,
    render: (run) => (
      <TextLink to="/runs/$runId" params={{ runId: run.id }}>
        {run.id}
      </TextLink>
    ),
  },
  {
    id: "task",
    title: "Task",
    render: (run) => (
      <Text size="sm" lineClamp={1} title={run.user_instruction}>
        {run.user_instruction}
      </Text>
    ),
  },
  {
    id: "result",
    title: "Result",
    width: 110,
    render: (run) => (
      <Group gap={4}>
        <StatusBadge status={run.status} />
        {run.verdict !== "NOT APPLICABLE" && <VerdictBadge verdict={run.verdict} />}
      </Group>
    ),
  },
  {
    id: "created",
    title: "Created",
    width: 104,
    wide: true,
    render: (run) => (
      <span className={classes.nowrap}>
        <Ago at={run.created_at} />
      </span>
    ),
  },
];

export function LatestRuns({ agentId }: { agentId: number }) {
  const navigate = useNavigate();
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
        <DataTable
          label="Latest runs"
          columns={COLUMNS}
          rows={page.items}
          rowKey={(run) => run.id}
          onOpen={(run) => void navigate({ to: "/runs/$runId", params: { runId: run.id } })}
        />
      )}
    </Panel>
  );
}
