import { Button, Group, Menu, SegmentedControl, Stack, Text, Tooltip } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useMemo } from "react";
import { errorsBelow, type FieldError } from "~/api/problem";
import { JsonField } from "~/components/json-field";
import { ruleCompletions } from "~/components/rules/completions";
import { asForm, asJson, itemOf, ruleIn } from "~/components/rules/draft";
import type { RuleItem, RulesDraft } from "~/components/rules/model";
import { blankRule, PATTERNS, type PatternContext } from "~/components/rules/patterns";
import { RuleCard } from "~/components/rules/rule-card";
import { formOf, type Rule } from "~/components/rules/rule-form";
import classes from "~/components/rules/rules.module.css";

interface RulesEditorProps {
  draft: RulesDraft;
  onChange: (draft: RulesDraft) => void;
  /** By path inside the list: [2, "when"]. */
  faults: FieldError[];
  /** What the agent has, for suggestions. */
  known: PatternContext;
}

/** An ordered list of failure rules, written as a form or as JSON. */
export function RulesEditor({ draft, onChange, faults, known }: RulesEditorProps) {
  const completions = useMemo(() => ruleCompletions(known), [known]);
  const form = asForm(draft);
  return (
    <Stack gap="sm">
      <div className={classes.intro}>
        <Text size="xs" c="var(--ody-text-dim)">
          Checked in this order before the simulated world and before live tools. The first rule that matches
          a call answers it; the trace names the rule by its number.
        </Text>
        <Tooltip label="Not a list of rules yet: mend the JSON to see it as a form" disabled={form !== null}>
          <SegmentedControl
            size="xs"
            className={classes.mode}
            aria-label="How to write the rules"
            value={draft.mode}
            onChange={(mode) => onChange(mode === "json" ? asJson(draft) : (form ?? draft))}
            data={[
              { value: "form", label: "Form", disabled: form === null },
              { value: "json", label: "JSON" },
            ]}
          />
        </Tooltip>
      </div>
      {draft.mode === "json" ? (
        <JsonField
          label="Failure rules as JSON"
          description="Members, operators and tool names complete as you type; Ctrl Space shows them."
          value={draft.text}
          onChange={(text) => onChange({ mode: "json", text })}
          errors={faults}
          completions={completions}
          placeholder="[]"
          minHeight={260}
          maxHeight={640}
        />
      ) : (
        <RuleList
          items={draft.items}
          onChange={(items) => onChange({ mode: "form", items })}
          faults={faults}
          known={known}
        />
      )}
    </Stack>
  );
}

interface RuleListProps {
  items: RuleItem[];
  onChange: (items: RuleItem[]) => void;
  faults: FieldError[];
  known: PatternContext;
}

function RuleList({ items, onChange, faults, known }: RuleListProps) {
  const add = (rule: Rule) => onChange([...items.map(folded), itemOf(rule, true)]);
  const general = faults.filter(({ loc }) => loc.length === 0);
  return (
    <>
      {items.length === 0 ? (
        <div className={classes.empty}>
          <Text size="sm" mb="sm">
            No rules: every tool works.
          </Text>
          <AddRule known={known} onAdd={add} />
        </div>
      ) : (
        <>
          <ol className={classes.list} start={0}>
            {items.map((item, index) => (
              <RuleCard
                key={item.key}
                item={item}
                index={index}
                last={items.length - 1}
                faults={errorsBelow(faults, index)}
                known={known}
                onChange={(next) => onChange(items.with(index, next))}
                onMove={(to) => onChange(moved(items, index, to))}
                onDuplicate={() => onChange(items.toSpliced(index + 1, 0, itemOf(ruleIn(item), true)))}
                onRemove={() => onChange(items.toSpliced(index, 1))}
              />
            ))}
          </ol>
          <Group justify="space-between">
            <AddRule known={known} onAdd={add} />
            {items.length > 1 && (
              <Button
                variant="subtle"
                color="gray"
                onClick={() =>
                  onChange(items.map((item) => ({ ...item, open: !items.some(({ open }) => open) })))
                }
              >
                {items.some(({ open }) => open) ? "Fold all" : "Unfold all"}
              </Button>
            )}
          </Group>
        </>
      )}
      {general.map(({ msg }) => (
        <Text key={msg} size="xs" c="var(--band-red)" role="alert">
          {msg}
        </Text>
      ))}
    </>
  );
}

function AddRule({ known, onAdd }: { known: PatternContext; onAdd: (rule: Rule) => void }) {
  return (
    <Menu width={320} position="bottom-start" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" leftSection={<IconPlus size={14} />}>
          Add rule
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onAdd(blankRule(known))}>Blank rule</Menu.Item>
        <Menu.Divider />
        <Menu.Label>Patterns</Menu.Label>
        {PATTERNS.map(({ title, help, make }) => (
          <Menu.Item key={title} onClick={() => onAdd(make(known))}>
            {title}
            <Text size="xs" c="var(--ody-text-dim)">
              {help}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Rules the form shows in one line make room for the one being added. */
function folded(item: RuleItem): RuleItem {
  return formOf(ruleIn(item)) === null ? item : { ...item, open: false };
}

function moved(items: RuleItem[], from: number, to: number): RuleItem[] {
  const [item] = items.slice(from, from + 1);
  return item === undefined ? items : items.toSpliced(from, 1).toSpliced(to, 0, item);
}
