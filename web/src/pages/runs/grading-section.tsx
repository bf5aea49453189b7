import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { errorsBelow, type FieldError } from "~/api/problem";
import { settingsQuery } from "~/api/settings";
import {
  CHECKS,
  listIn,
  placeIn,
  QUESTIONS,
  type Template,
  type TemplateContext,
  withTemplate,
} from "~/components/check-templates";
import { JsonField } from "~/components/json-field";
import { Panel, TextLink } from "~/components/page";
import { readStrict } from "~/components/rules/json-text";
import type { ToolInfo } from "~/components/rules/tools";
import { TemplateItem, TemplateMenu } from "~/components/template-menu";
import type { NewRun } from "~/pages/runs/new-run";

interface GradingSectionProps {
  run: NewRun;
  onChange: (part: Partial<NewRun>) => void;
  /** By path inside a seed. */
  errors: FieldError[];
  known: { tools: ToolInfo[]; entityTypes: string[] };
}

/** By what the run is graded: checks that a program looks at, and questions for the judge. */
export function GradingSection({ run, onChange, errors, known }: GradingSectionProps) {
  const { world, initialState } = run;
  const context = useMemo(() => {
    const state = world === "written" ? readStrict(initialState) : null;
    return { ...known, place: placeIn(state) };
  }, [known, world, initialState]);
  return (
    <Panel title="Grading">
      <Stack gap="md">
        <div data-field="checks">
          <JsonField
            label="Checks"
            description="A list of objects with one key each. Every one must hold for a pass."
            value={run.checks}
            onChange={(checks) => onChange({ checks })}
            errors={errorsBelow(errors, "checks")}
            placeholder={'[{"not_called": {"tool": "create_payment"}}]'}
            minHeight={64}
          />
          <Insert
            label="Add a check"
            templates={CHECKS}
            text={run.checks}
            context={context}
            onChange={(checks) => onChange({ checks })}
          />
        </div>
        <div data-field="rubric">
          <JsonField
            label="Rubric"
            description="Questions the judge model answers one by one, at most 20. Every required one must pass."
            value={run.rubric}
            onChange={(rubric) => onChange({ rubric })}
            errors={errorsBelow(errors, "rubric")}
            placeholder={'[{"id": "polite", "question": "Is the answer polite?", "answer": "yes_no"}]'}
            minHeight={64}
          />
          <Insert
            label="Add a question"
            templates={QUESTIONS}
            text={run.rubric}
            context={context}
            onChange={(rubric) => onChange({ rubric })}
          />
          <Judge wanted={run.rubric.trim() !== ""} />
        </div>
      </Stack>
    </Panel>
  );
}

interface InsertProps {
  label: string;
  templates: Template[];
  text: string;
  context: Omit<TemplateContext, "there">;
  onChange: (text: string) => void;
}

function Insert({ label, templates, text, context, onChange }: InsertProps) {
  const readable = listIn(text) !== null;
  return (
    <Group mt={6} gap="xs">
      <TemplateMenu label={label} disabled={!readable} maxHeight={340}>
        {templates.map((template) => (
          <TemplateItem
            key={template.title}
            title={template.title}
            help={template.help}
            added={() => withTemplate(text, template, context)}
            onChange={onChange}
          />
        ))}
      </TemplateMenu>
      {!readable && (
        <Text size="xs" c="var(--ody-text-dim)">
          First make what is written a JSON list.
        </Text>
      )}
    </Group>
  );
}

/** A rubric without a judge fails the run. */
function Judge({ wanted }: { wanted: boolean }) {
  const { data: settings } = useQuery({ ...settingsQuery, enabled: wanted });
  if (!wanted || !settings || settings.models.judge !== null) return null;
  return (
    <Text size="xs" c="var(--band-amber)" mt={6}>
      No judge model is set, so the run would fail before it is dispatched, as agent_model_unresolved.{" "}
      <TextLink to="/settings" inherit underline="always">
        Settings
      </TextLink>
    </Text>
  );
}
