import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { api, data } from "~/api/client";
import { asProblem, errorsBelow, messageAt } from "~/api/problem";
import { type Agent, agentsQuery } from "~/api/queries";
import { type World, worldQuery, worldsQuery } from "~/api/worlds";
import { useMayChange } from "~/components/may-change";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { formDraft, writtenRules } from "~/components/rules/draft";
import { sameJson } from "~/components/rules/json-text";
import type { RulesDraft } from "~/components/rules/model";
import { RulesEditor } from "~/components/rules/rules-editor";
import { RulesInWords } from "~/components/rules/rules-in-words";
import { type ToolInfo, toolsOf } from "~/components/rules/tools";

interface RulesTabProps {
  world: World;
  onTouched: (touched: boolean) => void;
}

interface Draft {
  behavior: string;
  rules: RulesDraft;
}

const BEHAVIOUR_ABOUT =
  "How the back end behaves, in lines of text; the agent never sees them. Runs that begin from this world take them along.";

/** What goes wrong in this world on purpose, and how it behaves. */
export function RulesTab({ world, onTouched }: RulesTabProps) {
  const mayChange = useMayChange();
  return mayChange ? <RulesForm world={world} onTouched={onTouched} /> : <RulesShown world={world} />;
}

function RulesForm({ world, onTouched }: RulesTabProps) {
  const client = useQueryClient();
  const agents = useQuery(agentsQuery);
  const known = useMemo(
    () => ({ tools: allTools(agents.data ?? []), entityTypes: Object.keys(world.entity_counts) }),
    [agents.data, world.entity_counts],
  );
  const saved = useMemo<Draft>(
    () => ({ behavior: world.behavior_instructions, rules: formDraft(world.failure_rules) }),
    [world.behavior_instructions, world.failure_rules],
  );
  const [draft, setDraft] = useState<Draft | null>(null);
  const { behavior, rules } = draft ?? saved;
  const written = useMemo(() => writtenRules(rules), [rules]);
  const touched =
    draft !== null &&
    (behavior !== world.behavior_instructions || !sameJson(written.rules, world.failure_rules));
  useEffect(() => onTouched(touched), [touched, onTouched]);

  const save = useMutation({
    mutationFn: () =>
      data(
        api.PUT("/api/worlds/{world_id}", {
          params: { path: { world_id: world.id } },
          body: { behavior_instructions: behavior, failure_rules: written.rules as never },
        }),
      ),
    onSuccess: (changed) => {
      client.setQueryData(worldQuery(world.id).queryKey, changed);
      void client.invalidateQueries({ queryKey: worldsQuery.queryKey, exact: true });
      setDraft(null);
      notifications.show({ message: "Rules and behaviour are saved" });
    },
  });
  const problem = save.error === null ? null : asProblem(save.error);
  const errors = problem?.errors ?? [];

  function change(part: Partial<Draft>) {
    save.reset();
    setDraft({ behavior, rules, ...part });
  }

  return (
    <Stack gap="md">
      <Panel title="Failure rules">
        <RulesEditor
          draft={rules}
          onChange={(next) => change({ rules: next })}
          faults={[...written.faults, ...errorsBelow(errors, "failure_rules")]}
          known={known}
        />
      </Panel>
      <Panel title="Behaviour">
        <Textarea
          label="Behaviour instructions"
          description={BEHAVIOUR_ABOUT}
          autosize
          minRows={3}
          maxRows={16}
          value={behavior}
          onChange={({ currentTarget }) => change({ behavior: currentTarget.value })}
          error={messageAt(errors, "behavior_instructions")}
        />
      </Panel>
      {problem && errors.length === 0 && <Refusal error={problem} title="Not saved" />}
      <Group justify="flex-end" gap="xs">
        {touched && (
          <Button variant="subtle" color="gray" onClick={() => setDraft(null)}>
            Discard
          </Button>
        )}
        <Button
          disabled={!touched || written.faults.length > 0}
          loading={save.isPending}
          onClick={() => save.mutate()}
        >
          Save rules and behaviour
        </Button>
      </Group>
    </Stack>
  );
}

/** The tools of every agent, each name once. */
function allTools(agents: Agent[]): ToolInfo[] {
  const tools = agents.flatMap((agent) => toolsOf(agent.tools_schema));
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
}

function RulesShown({ world }: { world: World }) {
  return (
    <Stack gap="md">
      <Panel title="Failure rules">
        <RulesInWords rules={world.failure_rules} />
      </Panel>
      <Panel title="Behaviour">
        <Text size="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
          {world.behavior_instructions || "None."}
        </Text>
      </Panel>
    </Stack>
  );
}
