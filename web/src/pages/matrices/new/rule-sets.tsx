import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useMemo } from "react";
import { errorsBelow, type FieldError, messageAt } from "~/api/problem";
import type { Agent } from "~/api/queries";
import { writtenRules } from "~/components/rules/draft";
import { RulesEditor } from "~/components/rules/rules-editor";
import { toolsOf } from "~/components/rules/tools";
import classes from "~/pages/matrices/matrices.module.css";
import { newRuleSet, type RuleSetDraft } from "~/pages/matrices/new/draft";

const MOST_SETS = 10;

interface RuleSetsProps {
  sets: RuleSetDraft[];
  onChange: (sets: RuleSetDraft[]) => void;
  agent: Agent | undefined;
  /** By the number of the set. */
  errors: FieldError[];
}

/** Each adds to every scenario a row of its own, beside the one without. */
export function RuleSets({ sets, onChange, agent, errors }: RuleSetsProps) {
  const known = useMemo(() => ({ tools: toolsOf(agent?.tools_schema), entityTypes: [] }), [agent]);
  return (
    <Stack gap="md">
      <Text size="xs" c="var(--ody-text-dim)">
        A rule set runs every scenario once more while its failure rules hold, with baselines of its own: time
        pressure while payments fail is one cell.
      </Text>
      {sets.map((set, index) => (
        <section key={set.key} className={classes.ruleSet} aria-label={`Rule set ${index + 1}`}>
          <Stack gap="sm">
            <Group align="flex-end" gap="xs">
              <TextInput
                label="Name of the rule set"
                placeholder="payments fail"
                maxLength={64}
                flex={1}
                value={set.name}
                onChange={({ currentTarget }) =>
                  onChange(sets.with(index, { ...set, name: currentTarget.value }))
                }
                error={messageAt(errors, index, "name")}
              />
              <Button
                variant="subtle"
                color="gray"
                leftSection={<IconTrash size={14} />}
                onClick={() => onChange(sets.toSpliced(index, 1))}
              >
                Remove
              </Button>
            </Group>
            <RulesEditor
              draft={set.rules}
              onChange={(rules) => onChange(sets.with(index, { ...set, rules }))}
              faults={[...writtenRules(set.rules).faults, ...errorsBelow(errors, index, "failure_rules")]}
              known={known}
            />
          </Stack>
        </section>
      ))}
      {sets.length < MOST_SETS && (
        <div>
          <Button
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...sets, newRuleSet()])}
          >
            Add a rule set
          </Button>
        </div>
      )}
    </Stack>
  );
}
