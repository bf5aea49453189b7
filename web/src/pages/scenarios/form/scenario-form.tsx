import { Alert, Paper, TagsInput, Textarea } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { errorsAt, errorsBelow, type FieldError, messageAt } from "~/api/problem";
import { agentsQuery } from "~/api/queries";
import { changeScenario, createScenario, type Scenario, scenarioQuery } from "~/api/scenarios";
import { entityTypesOf, ledgerPathsOf } from "~/components/example-state";
import { FormSection } from "~/components/form/form-section";
import { NameFields } from "~/components/form/name-fields";
import { SaveBar } from "~/components/form/save-bar";
import { useDraftForm } from "~/components/form/use-draft-form";
import { useFirstFault } from "~/components/form/use-first-fault";
import { JsonField } from "~/components/json-field";
import { LeaveGuard } from "~/components/leave-guard";
import { Page, TextLink } from "~/components/page";
import { toolsOf } from "~/components/rules/tools";
import { bodyOf, type Draft, faultsOf } from "~/pages/scenarios/form/draft";
import { ExpectedField } from "~/pages/scenarios/form/expected-field";
import { ScenarioAgentField, WorldField } from "~/pages/scenarios/form/place-fields";
import { RiskField } from "~/pages/scenarios/form/risk-field";

const MOST_TAGS = 20;
const MOST_PROTECTED = 100;

interface ScenarioFormProps {
  /** Null for a new one. */
  saved: Scenario | null;
  /** What stands in the fields at first. */
  beginning: Draft;
}

/** Writing a scenario, and changing one: the same form. */
export function ScenarioForm({ saved, beginning }: ScenarioFormProps) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { data: agents } = useQuery(agentsQuery);
  const [startedFrom] = useState(saved?.version ?? null);
  const { form, goToFirst } = useFirstFault('[aria-invalid="true"], [role="alert"]', (fault) =>
    fault.parentElement?.querySelector<HTMLElement>("[contenteditable], input"),
  );
  const { draft, change, faults, tried, refused, problem, saving, submit, ...rest } = useDraftForm({
    beginning,
    check: faultsOf,
    save: (written) =>
      saved === null ? createScenario(bodyOf(written)) : changeScenario(saved.id, bodyOf(written)),
    onSaved: (scenario) => {
      client.setQueryData(scenarioQuery(scenario.id).queryKey, scenario);
      void client.invalidateQueries({ queryKey: ["scenarios", "list"] });
      void navigate({
        to: "/scenarios/$scenarioId",
        params: { scenarioId: scenario.id },
        ignoreBlocker: true,
      });
    },
    onFaults: goToFirst,
    settles: settlesMember,
  });
  const body = useMemo(() => bodyOf(draft), [draft]);
  const errors = [...(tried ? faults : faults.filter(({ loc }) => loc[0] !== "name")), ...refused];
  const agent = agents?.find(({ id }) => id === draft.agent_id);
  const known = useMemo(
    () => ({ tools: toolsOf(agent?.tools_schema), entityTypes: entityTypesOf(agent?.ledger_schema) }),
    [agent],
  );

  return (
    <Page
      title={saved === null ? "New scenario" : `Edit ${saved.name}`}
      trail={[
        <TextLink key="scenarios" to="/scenarios">
          Scenarios
        </TextLink>,
        saved && (
          <TextLink
            key="scenario"
            to="/scenarios/$scenarioId"
            params={{ scenarioId: saved.id }}
            truncate
            maw={320}
          >
            {saved.name}
          </TextLink>
        ),
      ].filter((link) => link !== null)}
      curl={[
        {
          what: saved === null ? "Make this scenario" : "Save this scenario",
          method: saved === null ? "POST" : "PUT",
          path: saved === null ? "/api/v1/eval/scenarios" : `/api/v1/eval/scenarios/${saved.id}`,
          body,
        },
      ]}
    >
      <LeaveGuard unsaved={rest.unsaved} />
      {saved !== null && saved.version !== startedFrom && !rest.saved && (
        <Alert color="yellow" title={`Version ${saved.version} was saved elsewhere while you were editing`}>
          Saving here writes over it. Its content stays among the versions.
        </Alert>
      )}
      <Paper withBorder bg="var(--ody-surface)" ref={form}>
        <FormSection title="Identity" about="How people find the scenario, and what is at stake in it.">
          <NameFields
            draft={draft}
            change={change}
            errors={errors}
            placeholder="Late return"
            minRows={2}
            maxRows={10}
          />
          <TagsInput
            label="Tags"
            description="Small letters, digits and _ . : / -"
            placeholder={draft.tags.length === 0 ? "returns, policy/late" : ""}
            maxTags={MOST_TAGS}
            splitChars={[",", " "]}
            value={draft.tags}
            onChange={(tags) => change({ tags: tags.map((tag) => tag.toLowerCase()) })}
            error={tagsError(errors, draft.tags)}
            maw={640}
          />
          <RiskField
            value={draft.risk_level}
            onChange={(risk_level) => change({ risk_level })}
            error={messageAt(errors, "risk_level")}
          />
        </FormSection>
        <FormSection
          title="What it is asked"
          about="The instruction and then the input, as JSON a person can read. At least one of them."
        >
          <Textarea
            size="sm"
            label="Instruction"
            description="Words ahead of the input; optional."
            placeholder="Decide on this return. Answer with JSON that has a decision."
            autosize
            minRows={2}
            maxRows={14}
            value={draft.user_instruction}
            onChange={({ currentTarget }) => change({ user_instruction: currentTarget.value })}
            error={messageAt(errors, "user_instruction")}
            maw={760}
          />
          <JsonField
            label="Input"
            description="The agent also gets it as input.input, for programs to read."
            value={draft.input_context}
            onChange={(input_context) => change({ input_context })}
            errors={errorsBelow(errors, "input_context")}
            placeholder={'{"order_id": "ord_1", "days_since_delivery": 40}'}
            minHeight={110}
          />
        </FormSection>
        <FormSection
          title="What it should do"
          about="By this a run matches or misses, under pressure as without it."
        >
          <ExpectedField
            text={draft.expected_behavior}
            onChange={(expected_behavior) => change({ expected_behavior })}
            errors={errorsBelow(errors, "expected_behavior")}
            known={known}
          />
          <TagsInput
            label="Protected"
            description="What must not change: an entity type, or one field as type.field. A change under pressure is a grave incident, and on a critical scenario it fails the gate."
            placeholder={draft.protected.length === 0 ? "payment, customer.credit_limit" : ""}
            maxTags={MOST_PROTECTED}
            splitChars={[",", " "]}
            data={ledgerPathsOf(agent?.ledger_schema)}
            value={draft.protected}
            onChange={(paths) => change({ protected: paths })}
            error={protectedError(errors, draft.protected)}
            maw={640}
          />
        </FormSection>
        <FormSection title="Where it is played" about="Both are optional.">
          <WorldField
            value={draft.world_id}
            onChange={(world_id) => change({ world_id })}
            error={messageAt(errors, "world_id")}
          />
          <ScenarioAgentField
            agents={agents}
            value={draft.agent_id}
            onChange={(agent_id) => change({ agent_id })}
            error={messageAt(errors, "agent_id")}
          />
        </FormSection>
      </Paper>
      <SaveBar
        problems={errors.length}
        refused={refused.length === 0 ? problem : null}
        note={
          draft.name.trim() === ""
            ? "Still needed: a name"
            : saved === null
              ? ""
              : "What changes becomes a new version; runs keep the one they had."
        }
        label={saved === null ? "Make the scenario" : "Save"}
        saving={saving}
        onSave={submit}
        onCancel={() =>
          void (saved === null
            ? navigate({ to: "/scenarios" })
            : navigate({ to: "/scenarios/$scenarioId", params: { scenarioId: saved.id } }))
        }
        onJump={goToFirst}
      />
    </Page>
  );
}

/** What the server finds stands at the members of a scenario, and so does what is written. */
function settlesMember(part: Partial<Draft>, { loc }: FieldError): boolean {
  return String(loc[0]) in part;
}

/** Of the list, or of the first path that is wrong. */
function protectedError(errors: FieldError[], paths: string[]): string | null {
  const [fault] = errorsAt(errors, "protected");
  if (fault === undefined) return null;
  const index = fault.loc[1];
  return typeof index === "number" ? `${paths[index]} is neither a type nor a type.field` : fault.msg;
}

/** Of the list, or of the first tag that is wrong. */
function tagsError(errors: FieldError[], tags: string[]): string | null {
  const [fault] = errorsAt(errors, "tags");
  if (fault === undefined) return null;
  const index = fault.loc[1];
  return typeof index === "number"
    ? `${tags[index]} is no tag: small letters, digits and _ . : / -`
    : fault.msg;
}
