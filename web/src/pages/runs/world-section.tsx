import { Group, SegmentedControl, Stack } from "@mantine/core";
import { useMemo } from "react";
import { errorsBelow, type FieldError } from "~/api/problem";
import type { Known } from "~/components/behaviours/acts";
import { BehavioursField } from "~/components/behaviours/behaviours-field";
import { Panel } from "~/components/page";
import { isObject, readStrict } from "~/components/rules/json-text";
import type { PatternContext } from "~/components/rules/patterns";
import { RulesEditor } from "~/components/rules/rules-editor";
import { InitialStateField } from "~/pages/runs/initial-state-field";
import type { NewRun } from "~/pages/runs/new-run";
import { StoredWorld } from "~/pages/runs/stored-world";

interface WorldSectionProps {
  run: NewRun;
  onChange: (part: Partial<NewRun>) => void;
  /** By path inside a seed. */
  errors: FieldError[];
  ledgerSchema: unknown;
  known: PatternContext;
}

const BEHAVIOUR_ABOUT = "How tools act, one line each; the agent never sees them.";

/** What the run begins with: a world that is kept, or state, behaviour and rules written here. */
export function WorldSection({ run, onChange, errors, ledgerSchema, known }: WorldSectionProps) {
  const stored = run.world === "stored";
  const about = useMemo(() => (run.agentId === null ? {} : { agent_id: run.agentId }), [run.agentId]);
  const spoken = useMemo(() => spokenOf(known, run.initialState), [known, run.initialState]);
  return (
    <>
      <Panel
        title="World"
        tools={
          <Group>
            <SegmentedControl
              size="xs"
              aria-label="Where the world comes from"
              value={run.world}
              onChange={(world) => onChange({ world: world === "stored" ? "stored" : "written" })}
              data={[
                { value: "stored", label: "A stored world" },
                { value: "written", label: "Written here" },
              ]}
            />
          </Group>
        }
      >
        {stored ? (
          <StoredWorld
            worldId={run.worldId}
            onChoose={(worldId) => onChange({ worldId })}
            error={errors.find(({ loc }) => loc[0] === "world_id")?.msg ?? null}
          />
        ) : (
          <Stack gap="sm">
            <InitialStateField
              text={run.initialState}
              onChange={(initialState) => onChange({ initialState })}
              errors={errorsBelow(errors, "initial_state")}
              ledgerSchema={ledgerSchema}
            />
            <div data-field="behavior_instructions">
              <BehavioursField
                description={BEHAVIOUR_ABOUT}
                value={run.behavior}
                onChange={(behavior) => onChange({ behavior })}
                about={about}
                known={spoken}
                error={errors.find(({ loc }) => loc[0] === "behavior_instructions")?.msg}
              />
            </div>
          </Stack>
        )}
      </Panel>
      {!stored && (
        <div data-field="failure_rules">
          <Panel title="Failure rules">
            <RulesEditor
              draft={run.rules}
              onChange={(rules) => onChange({ rules })}
              faults={errorsBelow(errors, "failure_rules")}
              known={known}
            />
          </Panel>
        </div>
      )}
    </>
  );
}

/** What lines can speak of: what the agent declares, and what the state written here holds. */
function spokenOf(known: PatternContext, initialState: string): Known {
  const state = readStrict(initialState);
  if (!isObject(state)) return known;
  const entityTypes = [...new Set([...Object.keys(state), ...known.entityTypes])];
  return { ...known, entityTypes, state };
}
