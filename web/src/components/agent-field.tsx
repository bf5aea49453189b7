import { Group, Select, Text } from "@mantine/core";
import type { Agent } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { TextLink } from "~/components/page";

interface AgentFieldProps {
  agents: Agent[];
  chosen: Agent | undefined;
  onChoose: (agentId: number | null) => void;
  error: string | null;
}

export function AgentField({ agents, chosen, onChoose, error }: AgentFieldProps) {
  return (
    <Select
      label="Agent"
      placeholder="Choose an agent"
      searchable
      allowDeselect={false}
      nothingFoundMessage="No such agent"
      data={agents.map((agent) => ({ value: String(agent.id), label: agent.name }))}
      value={chosen ? String(chosen.id) : null}
      onChange={(id) => onChoose(id === null ? null : Number(id))}
      error={error}
      description={chosen && <WhatRuns agent={chosen} />}
      inputWrapperOrder={["label", "input", "error", "description"]}
      renderOption={({ option }) => {
        const agent = agents.find(({ id }) => String(id) === option.value);
        return (
          <Group justify="space-between" gap="xs" wrap="nowrap" w="100%">
            <Text size="sm" truncate>
              {option.label}
            </Text>
            {agent?.published_version == null ? (
              <ToneBadge tone="amber">draft – publish first</ToneBadge>
            ) : (
              <Text size="xs" c="var(--ody-text-dim)">
                v{agent.published_version}
              </Text>
            )}
          </Group>
        );
      }}
    />
  );
}

function WhatRuns({ agent }: { agent: Agent }) {
  const link = (
    <TextLink to="/agents/$agentId" params={{ agentId: agent.id }} size="xs">
      Open the agent
    </TextLink>
  );
  if (agent.published_version === null) {
    return <>A draft: its runs can be written here, but it must be published before they start. {link}</>;
  }
  const newer =
    agent.version > agent.published_version ? ` Version ${agent.version} is a draft and does not run.` : "";
  return (
    <>
      Version {agent.published_version} runs.{newer} {link}
    </>
  );
}
