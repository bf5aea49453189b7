import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconFlask } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { api, data } from "~/api/client";
import { asProblem, messageAt } from "~/api/problem";
import { type World, worldQuery, worldsQuery } from "~/api/worlds";
import { BehavioursField } from "~/components/behaviours/behaviours-field";
import { BehavioursShown } from "~/components/behaviours/behaviours-shown";
import { useMayChange } from "~/components/may-change";
import { withNewlines } from "~/components/newlines";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { Empty, ErrorState } from "~/components/states";
import classes from "~/pages/worlds/behaviour/behaviour.module.css";
import { AgentChoice, CallForm, type CallHandle, NoTools, onRunKey } from "~/pages/worlds/try/call-form";
import { TryResult } from "~/pages/worlds/try/try-result";
import { type Choice, useChoice } from "~/pages/worlds/try/use-choice";
import { useTries } from "~/pages/worlds/try/use-tries";

interface BehaviourTabProps {
  world: World;
  onTouched: (touched: boolean) => void;
}

const ABOUT =
  "How tools act, one line each; the agent never sees them. Runs that begin from this world take them along.";

/** How the tools behave in this world, written and tried side by side. */
export function BehaviourTab({ world, onTouched }: BehaviourTabProps) {
  return useMayChange() ? (
    <BehaviourForm world={world} onTouched={onTouched} />
  ) : (
    <Panel title="Behaviour">
      <BehavioursShown text={world.behavior_instructions} problems={world.behavior_problems} />
    </Panel>
  );
}

function BehaviourForm({ world, onTouched }: BehaviourTabProps) {
  const client = useQueryClient();
  const choice = useChoice();
  const { agent, tool, tools } = choice;
  const call = useRef<CallHandle>(null);
  const [draft, setDraft] = useState<string | null>(null);
  const text = draft ?? world.behavior_instructions;
  const touched = withNewlines(text) !== withNewlines(world.behavior_instructions);
  if (draft !== null && !touched) setDraft(null);
  useEffect(() => onTouched(touched), [touched, onTouched]);
  const about = useMemo(
    () => ({ world_id: world.id, ...(agent && { agent_id: agent.id }) }),
    [world.id, agent],
  );
  const known = useMemo(
    () => ({ tools, tool, entityTypes: Object.keys(world.entity_counts), state: world.initial_state }),
    [tools, tool, world.entity_counts, world.initial_state],
  );

  const save = useMutation({
    mutationFn: (sent: string) =>
      data(
        api.PUT("/api/worlds/{world_id}", {
          params: { path: { world_id: world.id } },
          body: { behavior_instructions: sent },
        }),
      ),
    onSuccess: (changed, sent) => {
      client.setQueryData(worldQuery(world.id).queryKey, changed);
      void client.invalidateQueries({ queryKey: worldsQuery.queryKey, exact: true });
      // The world on this page follows a moment later, and more may have been written meanwhile.
      setDraft((now) => (now === sent ? changed.behavior_instructions : now));
      notifications.show({ message: "The behaviour is saved" });
    },
  });
  const problem = save.error === null ? null : asProblem(save.error);
  const located = problem ? messageAt(problem.errors, "behavior_instructions") : null;

  function write(next: string) {
    save.reset();
    setDraft(next);
  }

  return (
    <div className={classes.split}>
      <div className={classes.lines} onKeyDownCapture={onRunKey(() => call.current?.run())}>
        <Panel title="Behaviour">
          <Stack gap="sm">
            {choice.agents !== null && choice.agents.length > 0 && <AgentChoice choice={choice} />}
            <BehavioursField
              description={ABOUT}
              value={text}
              onChange={write}
              about={about}
              known={known}
              minHeight={180}
              error={located}
            />
            {problem && located === null && <Refusal error={problem} title="Not saved" />}
            <Group justify="flex-end" gap="xs">
              {touched && (
                <Button variant="subtle" color="gray" onClick={() => setDraft(null)}>
                  Discard
                </Button>
              )}
              <Button disabled={!touched} loading={save.isPending} onClick={() => save.mutate(text)}>
                Save behaviour
              </Button>
            </Group>
          </Stack>
        </Panel>
      </div>
      <div className={classes.trying}>
        {choice.agents === null ? (
          choice.error && <ErrorState error={choice.error} retry={choice.retry} />
        ) : tool === undefined ? (
          <NoTools />
        ) : (
          <TryBeside world={world} choice={choice} call={call} text={text} />
        )}
      </div>
    </div>
  );
}

interface TryBesideProps {
  world: World;
  choice: Choice;
  call: RefObject<CallHandle | null>;
  /** The lines as they stand in the editor. */
  text: string;
}

function TryBeside({ world, choice, call, text }: TryBesideProps) {
  const tries = useTries(world.id);
  return (
    <Stack gap="md">
      <Panel title="Try it">
        <Stack gap="sm">
          <CallForm choice={choice} tries={tries} handle={call} behaviour={text} />
          <Text size="xs" c="var(--ody-text-dim)">
            Nothing is saved: every call begins from the world as it is stored, with the lines as they stand
            here.
          </Text>
        </Stack>
      </Panel>
      <Panel title="Answer">
        {tries.shown ? (
          <Stack gap="sm">
            {tries.shown.call.behaviour !== text && (
              <Text size="xs" c="var(--band-amber)" role="status">
                The lines were changed since this was tried.
              </Text>
            )}
            <TryResult key={tries.shown.call.number} one={tries.shown} world={world} />
          </Stack>
        ) : (
          <Empty icon={<IconFlask size={28} stroke={1.5} />} title="Nothing tried yet">
            Run a call to see which line refuses it or acts on it, before anything is saved.
          </Empty>
        )}
      </Panel>
    </Stack>
  );
}
