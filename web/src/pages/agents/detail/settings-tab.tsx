import { Stack, Text } from "@mantine/core";
import type { Agent } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { type Column, DataTable } from "~/components/data-table";
import { JsonView } from "~/components/json-view";
import { Panel } from "~/components/page";
import classes from "~/pages/agents/agents.module.css";
import { readSettings, type SubAgent } from "~/pages/agents/detail/settings";

export function SettingsTab({ agent }: { agent: Agent }) {
  const { subAgents, entry } = readSettings(agent);
  const columns: Column<SubAgent>[] = [
    {
      id: "actor",
      title: "Actor",
      render: (row) => (
        <>
          <span className={classes.mono}>{row.actorId}</span>{" "}
          {row.actorId === entry && <ToneBadge tone="live">entry</ToneBadge>}
        </>
      ),
    },
    { id: "tools", title: "Owns", render: (row) => <Names names={row.tools} /> },
    { id: "talks", title: "Hands over to", render: (row) => <Names names={row.talksTo} /> },
  ];
  return (
    <Stack gap="md">
      <Panel title="Sub-agents" flush>
        {subAgents.length === 0 ? (
          <Text size="sm" c="var(--ody-text-dim)" p="md">
            None declared: its runs are drawn as one flat timeline, unless calls name an actor.
          </Text>
        ) : (
          <DataTable label="Sub-agents" columns={columns} rows={subAgents} rowKey={(row) => row.actorId} />
        )}
      </Panel>
      <Panel title="Config as stored">
        <JsonView value={agent.config} name="the config" depth={4} />
        <Text size="xs" c="var(--ody-text-dim)" mt="xs">
          Members at their default are not stored. The auth header's value is kept apart and cannot be read.
        </Text>
      </Panel>
    </Stack>
  );
}

function Names({ names }: { names: string[] }) {
  if (names.length === 0)
    return (
      <Text span inherit c="var(--ody-text-dim)">
        none
      </Text>
    );
  return <span className={classes.mono}>{names.join(", ")}</span>;
}
