import { Group, Menu } from "@mantine/core";
import { useMemo } from "react";
import type { FieldError } from "~/api/problem";
import { JsonField } from "~/components/json-field";
import { TemplateItem, TemplateMenu } from "~/components/template-menu";
import { objectIn } from "~/pages/scenarios/form/draft";
import { expectedCompletions } from "~/pages/scenarios/form/expected-completions";
import {
  BEYOND_IT,
  type Example,
  IN_THE_ANSWER,
  type Known,
  withExample,
} from "~/pages/scenarios/form/expected-examples";
import { ExpectedHelp } from "~/pages/scenarios/form/expected-help";

interface ExpectedFieldProps {
  text: string;
  onChange: (text: string) => void;
  /** By path inside the document. */
  errors: FieldError[];
  known: Known;
}

const GROUPS: [title: string, examples: Example[]][] = [
  ["Of the JSON object in the answer", IN_THE_ANSWER],
  ["Of what lies beyond it", BEYOND_IT],
];

export function ExpectedField({ text, onChange, errors, known }: ExpectedFieldProps) {
  const completions = useMemo(() => expectedCompletions(known.tools), [known.tools]);
  const readable = objectIn(text) !== null;
  return (
    <div>
      <JsonField
        label="Expected behaviour"
        description="What the JSON object in the answer must have: values, or operators such as $lte. $calls, $ledger and $text look beyond it."
        value={text}
        onChange={onChange}
        errors={errors}
        completions={completions}
        placeholder={'{"decision": "refuse", "amount": {"$lte": 100}}'}
        minHeight={110}
      />
      <Group mt={6} gap="sm" align="flex-start">
        <TemplateMenu label="Add an expectation" disabled={!readable} maxHeight={380}>
          {GROUPS.map(([title, examples]) => (
            <div key={title}>
              <Menu.Label>{title}</Menu.Label>
              {examples.map((example) => (
                <TemplateItem
                  key={example.title}
                  title={example.title}
                  help={example.help}
                  added={() => withExample(text, example, known)}
                  onChange={onChange}
                />
              ))}
            </div>
          ))}
        </TemplateMenu>
        <ExpectedHelp />
      </Group>
    </div>
  );
}
