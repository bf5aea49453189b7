import { Menu } from "@mantine/core";
import { IconCopy, IconDownload, IconEdit, IconPencil, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { changeScenario, deleteScenario, exportPath, type Scenario, scenarioQuery } from "~/api/scenarios";
import { KeptDialogs } from "~/components/kept-dialogs";
import { useMayChange } from "~/components/may-change";
import { MoreMenu } from "~/components/more-menu";
import { ButtonLink } from "~/components/page";

export function ScenarioActions({ scenario }: { scenario: Scenario }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const mayChange = useMayChange();
  const [asking, setAsking] = useState<"rename" | "delete" | null>(null);

  async function rename(name: string) {
    client.setQueryData(scenarioQuery(scenario.id).queryKey, await changeScenario(scenario.id, { name }));
    void client.invalidateQueries({ queryKey: ["scenarios", "list"] });
  }

  async function remove() {
    await deleteScenario(scenario.id);
    await navigate({ to: "/scenarios" });
    client.removeQueries({ queryKey: scenarioQuery(scenario.id).queryKey });
    void client.invalidateQueries({ queryKey: ["scenarios", "list"] });
  }

  return (
    <>
      {mayChange && (
        <ButtonLink
          to="/scenarios/$scenarioId/edit"
          params={{ scenarioId: scenario.id }}
          leftSection={<IconEdit size={15} />}
        >
          Edit
        </ButtonLink>
      )}
      <MoreMenu>
        {(["yaml", "json"] as const).map((format) => (
          <Menu.Item
            key={format}
            component="a"
            href={exportPath(format, { ids: [scenario.id] })}
            download
            leftSection={<IconDownload size={14} />}
          >
            Export as {format.toUpperCase()}
          </Menu.Item>
        ))}
        {mayChange && (
          <>
            <Menu.Divider />
            <Menu.Item
              leftSection={<IconCopy size={14} />}
              renderRoot={(props) => <Link to="/scenarios/new" search={{ copy: scenario.id }} {...props} />}
            >
              Duplicate
            </Menu.Item>
            <Menu.Item leftSection={<IconPencil size={14} />} onClick={() => setAsking("rename")}>
              Rename
            </Menu.Item>
            <Menu.Item color="red" leftSection={<IconTrash size={14} />} onClick={() => setAsking("delete")}>
              Delete
            </Menu.Item>
          </>
        )}
      </MoreMenu>
      <KeptDialogs
        asking={asking}
        onClose={() => setAsking(null)}
        kind="scenario"
        name={scenario.name}
        consequence={`“${scenario.name}” can no longer be run. Its runs stay whole. This cannot be undone.`}
        rename={rename}
        remove={remove}
      />
    </>
  );
}
