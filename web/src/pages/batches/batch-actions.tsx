import { Button, Menu, Text } from "@mantine/core";
import { IconArrowsDiff, IconDownload } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createLink } from "@tanstack/react-router";
import { forwardRef, useState } from "react";
import { type Batch, batchExportPath, batchesQuery, batchQuery } from "~/api/batches";
import { api, data } from "~/api/client";
import { CancelRuns } from "~/components/cancel-runs";
import { counted } from "~/components/counted";
import { useMayChange } from "~/components/may-change";
import { percent } from "~/components/share";

const MOST_OFFERED = 15;

const MenuLink = createLink(
  forwardRef<HTMLAnchorElement, React.ComponentProps<typeof Menu.Item<"a">>>(function MenuLink(props, ref) {
    return <Menu.Item component="a" {...props} ref={ref} />;
  }),
);

export function BatchActions({ batch }: { batch: Batch }) {
  const mayChange = useMayChange();
  const going = batch.status === "checking" || batch.status === "running";
  return (
    <>
      {mayChange && going && <Cancel batch={batch} />}
      <CompareMenu batch={batch} />
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={15} />}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href={batchExportPath(batch.id, "csv")} download>
            CSV, one line per run
          </Menu.Item>
          <Menu.Item component="a" href={batchExportPath(batch.id, "json")} download>
            JSON
          </Menu.Item>
          <Menu.Item component="a" href={batchExportPath(batch.id, "junit")} download>
            JUnit, for continuous integration
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** The older of the two is what the newer is held against. */
function pairOf(one: number, other: number) {
  return { params: { batchId: Math.min(one, other) }, search: { with: Math.max(one, other) } };
}

/** "Batch 12, Support desk v3, 87 %" */
export function nameOf(batch: Batch): string {
  const rate = batch.pass_rate ? `, ${percent(batch.pass_rate.share)}` : "";
  return `Batch ${batch.id}, ${batch.agent_name} v${batch.agent_version}${rate}`;
}

/** Batches that may have rows in common with this one. */
export function kindredQuery(batch: Batch, limit: number) {
  const { dataset_id, agent_id } = batch;
  return batchesQuery(dataset_id === null ? { agent_id } : { dataset_id }, limit);
}

function CompareMenu({ batch }: { batch: Batch }) {
  const [opened, setOpened] = useState(false);
  const { data: found } = useQuery({ ...kindredQuery(batch, MOST_OFFERED + 1), enabled: opened });
  const others = found?.items.filter(({ id }) => id !== batch.id);
  return (
    <Menu position="bottom-end" opened={opened} onChange={setOpened} width={320}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconArrowsDiff size={15} />}>
          Compare with…
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {batch.dataset_id === null ? "Batches of this agent" : "Batches of this dataset"}
        </Menu.Label>
        {others === undefined && <Menu.Item disabled>Loading</Menu.Item>}
        {others?.length === 0 && <Menu.Item disabled>There is no other one yet</Menu.Item>}
        {others?.map((other) => (
          <MenuLink key={other.id} to="/batches/$batchId/compare" {...pairOf(batch.id, other.id)}>
            <Text size="sm" truncate>
              {nameOf(other)}
            </Text>
          </MenuLink>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Cancel({ batch }: { batch: Batch }) {
  const client = useQueryClient();
  const left = batch.runs.pending + batch.runs.running;
  return (
    <CancelRuns
      kind="batch"
      cancel={() =>
        data(api.POST("/api/batches/{batch_id}/cancel", { params: { path: { batch_id: batch.id } } }))
      }
      onCancelled={(changed) => {
        client.setQueryData(batchQuery(batch.id).queryKey, changed);
        void client.invalidateQueries({ queryKey: ["batches", batch.id, "rows"] });
      }}
    >
      {counted(left, "run")} that wait or go on are cancelled. What has ended keeps its verdict. This cannot
      be undone.
    </CancelRuns>
  );
}
