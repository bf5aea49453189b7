import { Group, SegmentedControl, Stack, Textarea } from "@mantine/core";
import { errorsBelow, type FieldError } from "~/api/problem";
import { Panel } from "~/components/page";
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

/** What the run begins with: a world that is kept, or state, behaviour and rules written here. */
export function WorldSection({ run, onChange, errors, ledgerSchema, known }: WorldSectionProps) {
  const stored = run.world === "stored";
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
              <Textarea
                label="Behaviour instructions"
                description="How the backend behaves, in lines of text; the agent never sees them. This server does not apply them yet: such a run carries the soft warning behavior_not_applied."
                autosize
                minRows={2}
                maxRows={12}
                value={run.behavior}
                onChange={({ currentTarget }) => onChange({ behavior: currentTarget.value })}
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
