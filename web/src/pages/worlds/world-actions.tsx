import { Menu } from "@mantine/core";
import { IconCopy, IconPencil, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, data } from "~/api/client";
import { type World, worldQuery, worldsQuery } from "~/api/worlds";
import { KeptDialogs } from "~/components/kept-dialogs";
import { useMayChange } from "~/components/may-change";
import { MoreMenu } from "~/components/more-menu";
import { ButtonLink } from "~/components/page";

export function WorldActions({ world }: { world: World }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [asking, setAsking] = useState<"rename" | "delete" | null>(null);
  const params = { path: { world_id: world.id } };

  async function rename(name: string) {
    const changed = await data(api.PUT("/api/worlds/{world_id}", { params, body: { name } }));
    client.setQueryData(worldQuery(world.id).queryKey, changed);
    void client.invalidateQueries({ queryKey: worldsQuery.queryKey, exact: true });
  }

  async function remove() {
    await api.DELETE("/api/worlds/{world_id}", { params });
    await navigate({ to: "/worlds", ignoreBlocker: true });
    client.removeQueries({ queryKey: worldQuery(world.id).queryKey });
    void client.invalidateQueries({ queryKey: worldsQuery.queryKey, exact: true });
  }

  if (!useMayChange()) return null;
  return (
    <>
      <ButtonLink to="/runs/new" search={{ world_id: world.id }} leftSection={<IconPlayerPlay size={15} />}>
        New run from it
      </ButtonLink>
      <MoreMenu>
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
      </MoreMenu>
      <KeptDialogs
        asking={asking}
        onClose={() => setAsking(null)}
        kind="world"
        name={world.name}
        consequence={`No further run can begin from “${world.name}”. Runs that did keep what they began with. This cannot be undone.`}
        rename={rename}
        remove={remove}
      />
    </>
  );
}
