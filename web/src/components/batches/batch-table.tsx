import { Box, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { Batch } from "~/api/batches";
import { BatchBadge } from "~/components/batches/batch-badge";
import classes from "~/components/batches/batches.module.css";
import { endedRuns, gradedRuns } from "~/components/batches/outcomes";
import { Bar } from "~/components/batches/verdict-bar";
import { type Column, DataTable } from "~/components/data-table";
import { money } from "~/components/money";
import { TextLink } from "~/components/page";
import { countsOf, ShareBar } from "~/components/share";
import { Ago } from "~/components/time";

const DATASET = "dataset";
const COLUMNS: Column<Batch>[] = [
  {
    id: "batch",
    title: "Batch",
    width: 64,
    render: (batch) => (
      <>
        <div>
          <TextLink to="/batches/$batchId" params={{ batchId: batch.id }} className={classes.number ?? ""}>
            {batch.id}
          </TextLink>
        </div>
        <Box hiddenFrom="sm">
          <BatchBadge status={batch.status} />
          <Text size="xs" c="var(--ody-text-dim)">
            {batch.agent_name} v{batch.agent_version}
            {batch.dataset_name !== null && `, ${batch.dataset_name}`}
          </Text>
        </Box>
      </>
    ),
  },
  {
    id: "status",
    title: "Status",
    width: 110,
    wide: true,
    render: ({ status }) => <BatchBadge status={status} />,
  },
  {
    id: "agent",
    title: "Agent",
    wide: true,
    render: ({ agent_id, agent_name, agent_version }) => (
      <span className={classes.oneLine} title={agent_name}>
        <TextLink to="/agents/$agentId" params={{ agentId: agent_id }} c="var(--ody-text)">
          {agent_name}
        </TextLink>{" "}
        <span className={classes.dim}>v{agent_version}</span>
      </span>
    ),
  },
  {
    id: DATASET,
    title: "Dataset",
    wide: true,
    render: (batch) => <DatasetOf batch={batch} />,
  },
  {
    id: "runs",
    title: "Runs",
    width: 130,
    render: (batch) => (
      <span className={classes.progress}>
        <span>
          {endedRuns(batch).toLocaleString("en")} of {batch.planned_runs.toLocaleString("en")}
          {batch.repeats > 1 && <span className={classes.dim}> (× {batch.repeats})</span>}
        </span>
        <Bar batch={batch} thin />
      </span>
    ),
  },
  {
    id: "passed",
    title: "Pass rate",
    width: 130,
    render: (batch) =>
      batch.pass_rate ? (
        <ShareBar
          of={batch.pass_rate}
          what="Pass rate"
          counts={countsOf(batch.verdicts.PASS, gradedRuns(batch))}
        />
      ) : (
        <span className={classes.dim}>–</span>
      ),
  },
  {
    id: "cost",
    title: "Cost",
    width: 80,
    align: "right",
    wide: true,
    render: ({ cost_usd }) => money(cost_usd),
  },
  {
    id: "created",
    title: "Created",
    width: 100,
    align: "right",
    wide: true,
    render: ({ created_at }) => (
      <span className={classes.nowrap}>
        <Ago at={created_at} />
      </span>
    ),
  },
];

const OF_ONE_DATASET = COLUMNS.filter(({ id }) => id !== DATASET);

export function BatchTable({ batches, ofOneDataset = false }: { batches: Batch[]; ofOneDataset?: boolean }) {
  const navigate = useNavigate();
  return (
    <DataTable
      label="Batches"
      columns={ofOneDataset ? OF_ONE_DATASET : COLUMNS}
      rows={batches}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/batches/$batchId", params: { batchId: id } })}
    />
  );
}

/** The dataset as it was when the batch was made; a batch of seeds has none. */
function DatasetOf({ batch }: { batch: Batch }) {
  if (batch.dataset_id === null) return <span className={classes.dim}>none</span>;
  return (
    <span className={classes.oneLine} title={batch.dataset_name ?? ""}>
      <TextLink to="/datasets/$datasetId" params={{ datasetId: batch.dataset_id }} c="var(--ody-text)">
        {batch.dataset_name}
      </TextLink>{" "}
      <span className={classes.dim}>revision {batch.revision}</span>
    </span>
  );
}
