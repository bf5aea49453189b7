import { Stack, Text } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Batch, batchQuery } from "~/api/batches";
import { Banner } from "~/components/banner";
import { BatchBadge } from "~/components/batches/batch-badge";
import { VerdictBar } from "~/components/batches/verdict-bar";
import { errorClass } from "~/components/error-classes";
import { Page, Panel, TextLink } from "~/components/page";
import { ErrorState, PageLoading } from "~/components/states";
import { BatchActions } from "~/pages/batches/batch-actions";
import { BatchFacts } from "~/pages/batches/batch-facts";
import { Figures } from "~/pages/batches/figures";
import { RowsPanel } from "~/pages/batches/rows-panel";

const route = getRouteApi("/app/batches/$batchId");

export function BatchPage() {
  const { batchId } = route.useParams();
  const { data: batch, error, refetch } = useQuery(batchQuery(batchId));
  if (batch) return <Loaded key={batchId} batch={batch} />;
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}

function Loaded({ batch }: { batch: Batch }) {
  return (
    <Page
      title={`Batch ${batch.id}`}
      trail={[
        <TextLink key="batches" to="/batches">
          Batches
        </TextLink>,
      ]}
      marks={<BatchBadge status={batch.status} />}
      actions={<BatchActions batch={batch} />}
      curl={[
        { what: "This batch", path: `/api/batches/${batch.id}` },
        { what: "Its tasks with their runs", path: `/api/batches/${batch.id}/rows?limit=100` },
        { what: "Its runs that failed", path: `/api/runs?batch_id=${batch.id}&verdict=FAIL` },
        { what: "JUnit for continuous integration", path: `/api/batches/${batch.id}/export?format=junit` },
      ]}
    >
      <BatchFacts batch={batch} />
      {batch.status === "failed" && <NotThere batch={batch} />}
      <Panel>
        <VerdictBar batch={batch} />
      </Panel>
      <Figures batch={batch} />
      <RowsPanel batch={batch} />
      <Text size="sm">
        <TextLink to="/runs" search={{ batch_id: batch.id }}>
          All runs of this batch
        </TextLink>
      </Text>
    </Page>
  );
}

/** The agent was not there, so nothing was sent to it. */
function NotThere({ batch }: { batch: Batch }) {
  const { means, advice } = errorClass(batch.error_class ?? "");
  return (
    <Banner tone="red" icon={<IconPlugConnectedX size={16} aria-hidden />} label="Why it failed">
      <Stack gap={2}>
        <Text size="sm" fw={600}>
          {batch.error_class}: nothing was sent to the agent
        </Text>
        <Text size="sm">{means}</Text>
        {batch.ping && <Text size="sm">{batch.ping.detail}</Text>}
        <Text size="sm">{advice}</Text>
      </Stack>
    </Banner>
  );
}
