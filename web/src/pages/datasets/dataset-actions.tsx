import { ActionIcon, Button, Group, Menu, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDots, IconDownload, IconPencil, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api } from "~/api/client";
import { type Dataset, datasetQuery, datasetsQuery, exportPath, renameDataset } from "~/api/datasets";
import { asProblem, messageAt } from "~/api/problem";
import { useMayChange } from "~/components/may-change";
import { Refusal } from "~/components/refusal";
import { RunDialog } from "~/pages/datasets/run-dialog";

export function DatasetActions({ dataset }: { dataset: Dataset }) {
  const [asking, setAsking] = useState<"run" | "rename" | "delete" | null>(null);
  const mayChange = useMayChange();
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
          <Menu.Item component="a" href={exportPath(dataset, "csv", true)} download>
            CSV for a spreadsheet, no formulas
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {mayChange && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" size={30} aria-label="More">
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => setAsking("rename")}>
              Rename
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={() => setAsking("delete")}>
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      <RunDialog dataset={dataset} opened={asking === "run"} onClose={close} />
      <Modal opened={asking === "rename"} onClose={close} title="Rename this dataset" size="md">
        <RenameForm dataset={dataset} onDone={close} />
      </Modal>
      <Modal opened={asking === "delete"} onClose={close} title="Delete this dataset" size="md">
        <DeleteForm dataset={dataset} onClose={close} />
      </Modal>
    </>
  );
}

function RenameForm({ dataset, onDone }: { dataset: Dataset; onDone: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(dataset.name);
  const rename = useMutation({
    mutationFn: () => renameDataset(dataset.id, name),
    onSuccess: (changed) => {
      client.setQueryData(datasetQuery(dataset.id).queryKey, changed);
      void client.invalidateQueries({ queryKey: datasetsQuery.queryKey, exact: true });
      onDone();
    },
  });
  const faults = rename.error === null ? [] : asProblem(rename.error).errors;

  function submit(event: FormEvent) {
    event.preventDefault();
    rename.mutate();
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          data-autofocus
          label="Name"
          maxLength={255}
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={messageAt(faults, "name")}
        />
        {faults.length === 0 && <Refusal error={rename.error} title="Not renamed" />}
        <Group justify="flex-end">
          <Button type="submit" loading={rename.isPending}>
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function DeleteForm({ dataset, onClose }: { dataset: Dataset; onClose: () => void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      api.DELETE("/api/datasets/{dataset_id}", { params: { path: { dataset_id: dataset.id } } }),
    onSuccess: async () => {
      notifications.show({ message: `${dataset.name} is deleted.` });
      await navigate({ to: "/datasets", ignoreBlocker: true });
      client.removeQueries({ queryKey: datasetQuery(dataset.id).queryKey });
      void client.invalidateQueries({ queryKey: datasetsQuery.queryKey, exact: true });
    },
  });
  return (
    <Stack gap="sm">
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        “{dataset.name}” can no longer be run. Its batches and their runs stay whole. This cannot be undone.
      </Text>
      <Refusal error={remove.error} title="Not deleted" />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep it
        </Button>
        <Button color="red.9" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete the dataset
        </Button>
      </Group>
    </Stack>
  );
}
