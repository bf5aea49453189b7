import { Button, Group, Menu, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMemo } from "react";
import type { FieldError } from "~/api/problem";
import { JsonField } from "~/components/json-field";
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
        <Menu width={300} position="bottom-start" withInitialFocusPlaceholder={false}>
          <Menu.Target>
            <Button
              variant="default"
              size="compact-xs"
              leftSection={<IconPlus size={13} aria-hidden />}
              disabled={!readable}
            >
              Add an expectation
            </Button>
          </Menu.Target>
          <Menu.Dropdown mah={380} style={{ overflowY: "auto" }}>
            {GROUPS.map(([title, examples]) => (
              <div key={title}>
                <Menu.Label>{title}</Menu.Label>
                {examples.map((example) => (
                  <Menu.Item
                    key={example.title}
                    onClick={() => {
                      const next = withExample(text, example, known);
                      if (next !== null) onChange(next);
                    }}
                  >
                    {example.title}
                    <Text size="xs" c="var(--ody-text-dim)">
                      {example.help}
                    </Text>
                  </Menu.Item>
                ))}
              </div>
            ))}
          </Menu.Dropdown>
        </Menu>
        <ExpectedHelp />
      </Group>
    </div>
  );
}
