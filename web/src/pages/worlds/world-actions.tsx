import { ActionIcon, Button, Group, Menu, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCopy, IconDots, IconPencil, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api, data } from "~/api/client";
import { asProblem, messageAt } from "~/api/problem";
import { type World, worldQuery, worldsQuery } from "~/api/worlds";
import { useMayChange } from "~/components/may-change";
import { ButtonLink } from "~/components/page";
import { Refusal } from "~/components/refusal";

export function WorldActions({ world }: { world: World }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState<"rename" | "delete" | null>(null);
  if (!useMayChange()) return null;
  const close = () => setAsking(null);
  return (
    <>
      <ButtonLink to="/runs/new" search={{ world_id: world.id }} leftSection={<IconPlayerPlay size={15} />}>
        New run from it
      </ButtonLink>
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
          <Menu.Item
            leftSection={<IconCopy size={14} />}
            onClick={() => void navigate({ to: "/worlds/new", search: { copy: world.id } })}
          >
            Make a copy
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={() => setAsking("delete")}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Modal opened={asking === "rename"} onClose={close} title="Rename this world" size="md">
        <RenameForm world={world} onDone={close} />
      </Modal>
      <Modal opened={asking === "delete"} onClose={close} title="Delete this world" size="md">
        <DeleteForm world={world} onClose={close} />
      </Modal>
    </>
  );
}

function RenameForm({ world, onDone }: { world: World; onDone: () => void }) {
  const [name, setName] = useState(world.name);
  const client = useQueryClient();
  const rename = useMutation({
    mutationFn: () =>
      data(api.PUT("/api/worlds/{world_id}", { params: { path: { world_id: world.id } }, body: { name } })),
    onSuccess: (changed) => {
      client.setQueryData(worldQuery(world.id).queryKey, changed);
      void client.invalidateQueries({ queryKey: worldsQuery.queryKey, exact: true });
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

function DeleteForm({ world, onClose }: { world: World; onClose: () => void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.DELETE("/api/worlds/{world_id}", { params: { path: { world_id: world.id } } }),
    onSuccess: async () => {
      notifications.show({ message: `${world.name} is deleted.` });
      await navigate({ to: "/worlds", ignoreBlocker: true });
      client.removeQueries({ queryKey: worldQuery(world.id).queryKey });
      void client.invalidateQueries({ queryKey: worldsQuery.queryKey, exact: true });
    },
  });
  return (
    <Stack gap="sm">
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        No further run can begin from “{world.name}”. Runs that did keep what they began with. This cannot be
        undone.
      </Text>
      <Refusal error={remove.error} title="Not deleted" />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep it
        </Button>
        <Button color="red.9" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete the world
        </Button>
      </Group>
    </Stack>
  );
}
