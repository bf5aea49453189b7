import { ActionIcon, Button, Select, Stack, TagsInput, TextInput, Tooltip } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { errorsAt, type FieldError, messageAt } from "~/api/problem";
import { FormSection } from "~/components/form/form-section";
import { type AgentDraft, type SubAgentDraft, subAgentDraft } from "~/pages/agents/form/draft";
import type { FieldsProps } from "~/pages/agents/form/endpoint-section";
import { FaultList } from "~/pages/agents/form/fault-list";
import { inside } from "~/pages/agents/form/faults";
import classes from "~/pages/agents/form/form.module.css";
import { nameOf } from "~/pages/agents/form/recognise";

export function SubAgentsSection({ draft, change, faults }: FieldsProps) {
  const actors = draft.subAgents.map((agent) => agent.actorId).filter((id) => id !== "");
  const set = (key: number, patch: Partial<SubAgentDraft>) =>
    change({
      subAgents: draft.subAgents.map((agent) => (agent.key === key ? { ...agent, ...patch } : agent)),
    });
  return (
    <FormSection
      title="Sub-agents"
      about="Optional. Who may act inside this agent, which tools each one owns, and whom it may hand over to. Odyssey draws runs by it; it never forbids anything."
    >
      <Stack gap="xs">
        {draft.subAgents.map((agent, index) => (
          <SubAgentRow
            key={agent.key}
            agent={agent}
            number={index + 1}
            tools={[...new Set(draft.tools.map((tool) => nameOf(tool.value)).filter((name) => name !== ""))]}
            actors={[...new Set(actors)]}
            faults={errorsAt(faults, "config", "sub_agents", index).map(inside(3))}
            change={(patch) => set(agent.key, patch)}
            remove={() => change({ subAgents: draft.subAgents.filter((other) => other.key !== agent.key) })}
          />
        ))}
      </Stack>
      <FaultList
        faults={faults.filter(({ loc }) => loc[1] === "sub_agents" && loc.length === 2).map(inside(2))}
      />
      <div>
        <Button
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => change({ subAgents: [...draft.subAgents, subAgentDraft()] })}
        >
          Add a sub-agent
        </Button>
      </div>
      {(draft.subAgents.length > 0 || draft.topology !== null) && (
        <Select
          size="sm"
          label="Entry"
          description="The sub-agent that receives the task."
          placeholder="Not declared"
          clearable
          data={[...new Set([...actors, ...(draft.topology ? [draft.topology.entry] : [])])]}
          value={draft.topology?.entry ?? null}
          onChange={(entry) => change({ topology: withEntry(draft.topology, entry) })}
          error={errorsAt(faults, "config", "topology")[0]?.msg}
          maw={260}
        />
      )}
    </FormSection>
  );
}

function withEntry(topology: AgentDraft["topology"], entry: string | null): AgentDraft["topology"] {
  return entry === null ? null : { ...topology, entry };
}

interface SubAgentRowProps {
  agent: SubAgentDraft;
  number: number;
  tools: string[];
  actors: string[];
  faults: FieldError[];
  change: (patch: Partial<SubAgentDraft>) => void;
  remove: () => void;
}

function SubAgentRow({ agent, number, tools, actors, faults, change, remove }: SubAgentRowProps) {
  const first = (member: string) => errorsAt(faults, member)[0]?.msg ?? null;
  return (
    <div className={classes.subAgent}>
      <TextInput
        label="Actor id"
        aria-label={`Actor id of sub-agent ${number}`}
        value={agent.actorId}
        onChange={(event) => change({ actorId: event.currentTarget.value })}
        error={messageAt(faults, "actor_id") ?? messageAt(faults)}
        spellCheck={false}
      />
      <TagsInput
        size="sm"
        aria-label={`Tools of sub-agent ${number}`}
        label="Tools it owns"
        data={tools}
        value={agent.tools ?? []}
        onChange={(chosen) => change({ tools: chosen })}
        error={first("tools")}
      />
      <TagsInput
        size="sm"
        aria-label={`Whom sub-agent ${number} talks to`}
        label="Talks to"
        data={actors.filter((actor) => actor !== agent.actorId)}
        value={agent.talksTo ?? []}
        onChange={(chosen) => change({ talksTo: chosen })}
        error={first("talks_to")}
      />
      <Tooltip label="Remove">
        <ActionIcon
          variant="subtle"
          color="gray"
          size={34}
          className={classes.subAgentRemove ?? ""}
          aria-label={`Remove sub-agent ${agent.actorId || number}`}
          onClick={remove}
        >
          <IconTrash size={15} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
