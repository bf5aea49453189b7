import { Button, Menu } from "@mantine/core";
import { IconDownload, IconPencil, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "~/api/client";
import { type Dataset, datasetQuery, datasetsQuery, exportPath, renameDataset } from "~/api/datasets";
import { KeptDialogs } from "~/components/kept-dialogs";
import { useMayChange } from "~/components/may-change";
import { MoreMenu } from "~/components/more-menu";
import { RunDialog } from "~/pages/datasets/run-dialog";

export function DatasetActions({ dataset }: { dataset: Dataset }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [asking, setAsking] = useState<"run" | "rename" | "delete" | null>(null);
  const mayChange = useMayChange();

  async function rename(name: string) {
    client.setQueryData(datasetQuery(dataset.id).queryKey, await renameDataset(dataset.id, name));
    void client.invalidateQueries({ queryKey: datasetsQuery.queryKey, exact: true });
  }

  async function remove() {
    await api.DELETE("/api/datasets/{dataset_id}", { params: { path: { dataset_id: dataset.id } } });
    await navigate({ to: "/datasets", ignoreBlocker: true });
    client.removeQueries({ queryKey: datasetQuery(dataset.id).queryKey });
    void client.invalidateQueries({ queryKey: datasetsQuery.queryKey, exact: true });
  }

  const close = () => setAsking(null);
  return (
    <>
      {mayChange && (
        <Button leftSection={<IconPlayerPlay size={15} />} onClick={() => setAsking("run")}>
          Run on an agent
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<IconDownload size={15} />}>
            Download
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component="a" href={exportPath(dataset, "csv")} download>
            CSV
          </Menu.Item>
          <Menu.Item component="a" href={exportPath(dataset, "json")} download>
            JSON
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {mayChange && (
        <MoreMenu>
          <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => setAsking("rename")}>
            Rename
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={() => setAsking("delete")}>
            Delete
          </Menu.Item>
        </MoreMenu>
      )}
      <RunDialog dataset={dataset} opened={asking === "run"} onClose={close} />
      <KeptDialogs
        asking={asking}
        onClose={close}
        kind="dataset"
        name={dataset.name}
        consequence={`“${dataset.name}” can no longer be run. Its batches and their runs stay whole. This cannot be undone.`}
        rename={rename}
        remove={remove}
      />
    </>
  );
}
