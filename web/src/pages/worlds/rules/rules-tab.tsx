import { Button, Group, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { api, data } from "~/api/client";
import { asProblem, errorsBelow } from "~/api/problem";
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

/** What goes wrong in this world on purpose. */
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
  const saved = useMemo(() => formDraft(world.failure_rules), [world.failure_rules]);
  const [draft, setDraft] = useState<RulesDraft | null>(null);
  const rules = draft ?? saved;
  const written = useMemo(() => writtenRules(rules), [rules]);
  const touched = draft !== null && !sameJson(written.rules, world.failure_rules);
  useEffect(() => onTouched(touched), [touched, onTouched]);

  const save = useMutation({
    mutationFn: () =>
      data(
        api.PUT("/api/worlds/{world_id}", {
          params: { path: { world_id: world.id } },
          body: { failure_rules: written.rules as never },
        }),
      ),
    onSuccess: (changed) => {
      client.setQueryData(worldQuery(world.id).queryKey, changed);
      void client.invalidateQueries({ queryKey: worldsQuery.queryKey, exact: true });
      setDraft(null);
      notifications.show({ message: "The rules are saved" });
    },
  });
  const problem = save.error === null ? null : asProblem(save.error);
  const errors = problem?.errors ?? [];

  function change(next: RulesDraft) {
    save.reset();
    setDraft(next);
  }

  return (
    <Stack gap="md">
      <Panel title="Failure rules">
        <RulesEditor
          draft={rules}
          onChange={change}
          faults={[...written.faults, ...errorsBelow(errors, "failure_rules")]}
          known={known}
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
          Save rules
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
    <Panel title="Failure rules">
      <RulesInWords rules={world.failure_rules} />
    </Panel>
  );
}
