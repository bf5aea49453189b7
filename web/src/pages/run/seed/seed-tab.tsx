import { Stack, Text } from "@mantine/core";
import { ToneBadge } from "~/components/badges";
import { Copy } from "~/components/copy";
import { JsonView } from "~/components/json-view";
import { Panel, TextLink } from "~/components/page";
import { PlainText } from "~/components/section";
import { countRules, isRecord, listOf, textOf } from "~/pages/run/model/events";
import classes from "~/pages/run/seed/seed.module.css";
import type { RunView } from "~/pages/run/view";

/** What the task was made of. */
export function SeedTab({ view }: { view: RunView }) {
  const seed = view.run.odyssey_seed;
  const behavior = textOf(seed.behavior_instructions);
  return (
    <div className={classes.columns}>
      <Stack gap="md">
        <Panel title="Instruction">
          <PlainText text={String(seed.user_instruction ?? "")} label="user instruction" />
        </Panel>
        <Rules view={view} />
        <Panel title="Checks and expected outcome">
          <Stack gap="xs">
            <Text size="sm">
              Expected outcome:{" "}
              <ToneBadge tone="neutral">{String(seed.expected_outcome ?? "completion")}</ToneBadge>
            </Text>
            {listOf(seed.checks).length > 0 ? (
              <JsonView value={seed.checks} name="checks" depth={4} />
            ) : (
              <None>No checks.</None>
            )}
          </Stack>
        </Panel>
        {listOf(seed.rubric).length > 0 && (
          <Panel title="Rubric">
            <JsonView value={seed.rubric} name="rubric" depth={3} />
          </Panel>
        )}
        <Panel title="Behaviour instructions">
          {behavior ? <PlainText text={behavior} label="behavior instructions" /> : <None>None.</None>}
        </Panel>
      </Stack>
      <Stack gap="md">
        <Panel
          title="Initial state"
          tools={
            typeof seed.world_id === "number" && (
              <TextLink to="/worlds/$worldId" params={{ worldId: seed.world_id }} size="xs">
                as world {seed.world_id} was then
              </TextLink>
            )
          }
        >
          {isRecord(seed.initial_state) && Object.keys(seed.initial_state).length > 0 ? (
            <JsonView value={seed.initial_state} name="initial state" depth={2} />
          ) : (
            <None>The world begins empty.</None>
          )}
        </Panel>
        <Panel title="Input">
          {isRecord(seed.input) && Object.keys(seed.input).length > 0 ? (
            <JsonView value={seed.input} name="input" depth={3} />
          ) : (
            <None>Empty.</None>
          )}
        </Panel>
        <Panel title="Random seed" tools={<Copy value={String(view.run.random_seed)} what="random seed" />}>
          <Text size="sm" ff="monospace">
            {String(view.run.random_seed)}
          </Text>
        </Panel>
      </Stack>
    </div>
  );
}

function None({ children }: { children: string }) {
  return (
    <Text size="sm" c="var(--ody-text-dim)">
      {children}
    </Text>
  );
}

function Rules({ view }: { view: RunView }) {
  const rules = listOf(view.run.odyssey_seed.failure_rules);
  const fired = countRules(view.events);
  return (
    <Panel title="Failure rules">
      {rules.length === 0 && <None>None: no failure was injected.</None>}
      <ol className={classes.rules}>
        {rules.map((rule, index) => {
          const times = fired.get(index) ?? 0;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a rule is known by its index
            <li key={index}>
              <div className={classes.ruleHead}>
                <Text span size="sm" fw={600}>
                  rule {index}
                </Text>
                <ToneBadge tone={times > 0 ? "injected" : "neutral"}>
                  {times === 0 ? "did not fire" : times === 1 ? "fired once" : `fired ${times} times`}
                </ToneBadge>
              </div>
              <JsonView value={rule} name={`failure rule ${index}`} depth={3} />
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}
