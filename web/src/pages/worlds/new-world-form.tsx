import { Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { BehaviourProblem } from "~/api/behaviours";
import { api, data, type Schemas } from "~/api/client";
import { writeJson } from "~/api/json";
import { errorsBelow, messageAt } from "~/api/problem";
import { type State, worldQuery, worldsQuery } from "~/api/worlds";
import { BehavioursShown } from "~/components/behaviours/behaviours-shown";
import { counted } from "~/components/counted";
import { EntityCounts } from "~/components/entity-counts";
import { ChooseFile, FileDrop, useFile } from "~/components/file-drop";
import { useDraftForm } from "~/components/form/use-draft-form";
import { JsonField } from "~/components/json-field";
import { LeaveGuard } from "~/components/leave-guard";
import { Page, Panel, TextLink } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { isObject, readStrict, Unread } from "~/components/rules/json-text";
import { RulesInWords } from "~/components/rules/rules-in-words";

export interface Beginning {
  name: string;
  state: State | null;
  behavior: string;
  problems: BehaviourProblem[];
  rules: unknown[];
  origin: { kind: "run"; id: number; at: number } | { kind: "world"; id: number; name: string } | null;
}

const PLACEHOLDER = `{
  "customer": {"cust_1": {"customer_id": "cust_1", "name": "Ada"}},
  "order": {"ord_7": {"order_id": "ord_7", "customer_id": "cust_1", "status": "pending"}}
}`;

export function NewWorldForm({ beginning }: { beginning: Beginning }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [withRules, setWithRules] = useState(beginning.origin?.kind === "world");
  const hasConduct = beginning.rules.length > 0 || beginning.behavior !== "";
  const { draft, change, problem, saving, submit, unsaved } = useDraftForm({
    beginning: () => ({
      name: beginning.name,
      text: beginning.state === null ? "" : writeJson(beginning.state),
    }),
    save: () => data(api.POST("/api/worlds", { body })),
    onSaved: (world) => {
      client.setQueryData(worldQuery(world.id).queryKey, world);
      void client.invalidateQueries({ queryKey: worldsQuery.queryKey, exact: true });
      void navigate({ to: "/worlds/$worldId", params: { worldId: world.id }, ignoreBlocker: true });
    },
  });
  const { name, text } = draft;
  const state = useMemo(() => readStrict(text) ?? {}, [text]);
  const body = {
    name,
    initial_state: state instanceof Unread ? {} : state,
    ...(withRules &&
      hasConduct && { behavior_instructions: beginning.behavior, failure_rules: beginning.rules }),
  } as Schemas["WorldIn"];
  const errors = problem?.errors ?? [];
  const broken =
    state instanceof Unread ? "This is not JSON yet." : isObject(state) ? null : "A world is an object.";
  const file = useFile((text, fileName) => {
    write(text);
    if (name === "") change({ name: fileName.replace(/\.json$/i, "") });
  });

  function write(next: string) {
    file.forget();
    change({ text: next });
  }

  return (
    <Page
      title="New world"
      trail={[
        <TextLink key="worlds" to="/worlds">
          Worlds
        </TextLink>,
      ]}
      curl={[{ what: "Make this world", method: "POST", path: "/api/worlds", body }]}
    >
      <LeaveGuard unsaved={unsaved} />
      <FileDrop file={file}>
        <Panel>
          <Stack gap="md" maw={860}>
            {beginning.origin && <Origin origin={beginning.origin} />}
            <TextInput
              label="Name"
              required
              withAsterisk={false}
              maxLength={255}
              placeholder="Shop in spring"
              value={name}
              onChange={({ currentTarget }) => change({ name: currentTarget.value })}
              error={messageAt(errors, "name")}
              maw={480}
            />
            <div>
              <JsonField
                label="State"
                description="Entities by type and id: what the simulated back end holds when a run begins. Write it, drop a JSON file here, or begin empty and import CSV later."
                value={text}
                onChange={write}
                errors={[
                  ...(broken ? [{ loc: [], msg: broken }] : []),
                  ...errorsBelow(errors, "initial_state"),
                ]}
                placeholder={PLACEHOLDER}
                minHeight={220}
                maxHeight={520}
              />
              <Group gap="sm" mt={6} justify="space-between">
                <ChooseFile file={file} of="json">
                  Choose a file
                </ChooseFile>
                <Text size="xs" component="div" role="status">
                  {isObject(state) && text.trim() !== "" && <EntityCounts counts={countsOf(state)} />}
                </Text>
              </Group>
              {file.problem && (
                <Text size="xs" c="var(--band-red)" role="alert">
                  {file.problem}
                </Text>
              )}
            </div>
            {hasConduct && (
              <div>
                <Checkbox
                  size="xs"
                  label={`Take its ${conduct(beginning)} as well`}
                  checked={withRules}
                  onChange={({ currentTarget }) => setWithRules(currentTarget.checked)}
                  mb="xs"
                />
                {withRules && beginning.rules.length > 0 && <RulesInWords rules={beginning.rules} />}
                {withRules && beginning.behavior !== "" && (
                  <BehavioursShown text={beginning.behavior} problems={beginning.problems} />
                )}
              </div>
            )}
            {problem && errors.length === 0 && <Refusal error={problem} title="Not made" />}
            <Group gap="xs">
              <Button
                loading={saving}
                disabled={name.trim() === "" || broken !== null}
                onClick={() => submit()}
              >
                Make the world
              </Button>
              {name.trim() === "" && (
                <Text size="xs" c="var(--ody-text-dim)">
                  Give it a name.
                </Text>
              )}
            </Group>
          </Stack>
        </Panel>
      </FileDrop>
    </Page>
  );
}

function conduct({ rules, behavior }: Beginning): string {
  const parts = [
    ...(rules.length > 0 ? [counted(rules.length, "failure rule")] : []),
    ...(behavior === "" ? [] : ["behaviour instructions"]),
  ];
  return parts.join(" and ");
}

function Origin({ origin }: { origin: NonNullable<Beginning["origin"]> }) {
  return (
    <Text size="sm" style={{ overflowWrap: "anywhere" }}>
      {origin.kind === "run" ? (
        <>
          The ledger of{" "}
          <TextLink
            to="/runs/$runId"
            params={{ runId: origin.id }}
            underline="always"
            search={origin.at === 0 ? {} : { step: origin.at, pane: "ledger" }}
          >
            run {origin.id}
          </TextLink>
          {origin.at === 0 ? " as it began." : ` right after step ${origin.at}.`}
        </>
      ) : (
        <>
          A copy of{" "}
          <TextLink to="/worlds/$worldId" params={{ worldId: origin.id }} underline="always">
            {origin.name}
          </TextLink>
          ; the two share nothing afterwards.
        </>
      )}
    </Text>
  );
}

function countsOf(state: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(state).map(([type, entities]) => [
      type,
      isObject(entities) ? Object.keys(entities).length : 0,
    ]),
  );
}
