import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type EvalRunSummary, evalRunsQuery } from "~/api/evals";
import type { Scenario } from "~/api/scenarios";
import { StatusBadge } from "~/components/badges";
import { type Column, DataTable } from "~/components/data-table";
import { DeliveredBadge, MatchedBadge } from "~/components/evals/marks";
import { conditionOf } from "~/components/evals/names";
import { Panel, TextLink } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { Ago } from "~/components/time";
import classes from "~/pages/scenarios/scenarios.module.css";

const NEWEST = 20;

const COLUMNS: Column<EvalRunSummary>[] = [
  {
    id: "run",
    title: "Run",
    width: 60,
    render: ({ id }) => (
      <TextLink to="/evals/runs/$runId" params={{ runId: id }}>
        {id}
      </TextLink>
    ),
  },
  { id: "condition", title: "Under", width: "100%", render: conditionOf },
  {
    id: "status",
    title: "Status",
    width: 110,
    wide: true,
    render: ({ status }) => <StatusBadge status={status} />,
  },
  { id: "matched", title: "Expected", width: 110, render: (run) => <MatchedBadge run={run} /> },
  {
    id: "delivered",
    title: "Delivery",
    width: 130,
    wide: true,
    render: ({ delivered }) => <DeliveredBadge delivered={delivered} />,
  },
  {
    id: "version",
    title: "Version",
    width: 84,
    align: "right",
    wide: true,
    render: ({ scenario_version }) => scenario_version,
  },
  {
    id: "created",
    title: "Started",
    width: 110,
    wide: true,
    render: ({ created_at }) => (
      <span className={classes.nowrap}>
        <Ago at={created_at} />
      </span>
    ),
  },
];

/** The newest runs of the scenario; all of them have a page of their own. */
export function RunsTab({ scenario }: { scenario: Scenario }) {
  const navigate = useNavigate();
  const { data: page, error, refetch } = useQuery(evalRunsQuery({ scenario_id: scenario.id }, NEWEST));
  if (!page) {
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <RowsLoading rows={6} />;
  }
  return (
    <Panel
      title="Newest runs"
      flush
      tools={
        <TextLink to="/evals/runs" search={{ scenario_id: scenario.id }}>
          All eval runs of this scenario
        </TextLink>
      }
    >
      {page.items.length === 0 ? (
        <Empty title="Not run yet">
          Start with baselines, then put it under a pressure: the panel beside the scenario does both.
        </Empty>
      ) : (
        <DataTable
          label="Newest runs"
          columns={COLUMNS}
          rows={page.items}
          rowKey={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: "/evals/runs/$runId", params: { runId: id } })}
        />
      )}
      {page.next_cursor !== null && (
        <Text size="xs" c="var(--ody-text-dim)" px="md" py="xs" className={classes.footer ?? ""}>
          The newest {NEWEST}.
        </Text>
      )}
    </Panel>
  );
}
