import { ActionIcon, Text, Tooltip, UnstyledButton } from "@mantine/core";
import {
  IconArrowDown,
  IconArrowUp,
  IconBraces,
  IconChevronRight,
  IconCopy,
  IconForms,
  IconTrash,
} from "@tabler/icons-react";
import { type ReactNode, useId, useMemo } from "react";
import type { FieldError } from "~/api/problem";
import { ToneBadge } from "~/components/badges";
import { JsonField } from "~/components/json-field";
import { ruleCompletions } from "~/components/rules/completions";
import { ruleIn, turned } from "~/components/rules/draft";
import { MatchFields } from "~/components/rules/match-fields";
import type { RuleForm, RuleItem } from "~/components/rules/model";
import { OutcomeFields } from "~/components/rules/outcome-fields";
import type { PatternContext } from "~/components/rules/patterns";
import classes from "~/components/rules/rules.module.css";
import { sentenceOf } from "~/components/rules/sentence";

interface RuleCardProps {
  item: RuleItem;
  index: number;
  last: number;
  /** By path inside the rule. */
  faults: FieldError[];
  known: PatternContext;
  onChange: (item: RuleItem) => void;
  onMove: (to: number) => void;
  onDuplicate: () => void;
  onRemove: () => void;
}

export function RuleCard(props: RuleCardProps) {
  const { item, index, last, faults, known, onChange, onMove, onDuplicate, onRemove } = props;
  const body = useId();
  const rule = ruleIn(item);
  const other = turned(item);
  const isForm = item.content.kind === "form";
  return (
    <li>
      <fieldset
        className={classes.card}
        aria-label={`Rule ${index}`}
        data-faulty={faults.length > 0 || undefined}
      >
        <div className={classes.head}>
          <UnstyledButton
            className={classes.toggle}
            aria-expanded={item.open}
            aria-controls={body}
            onClick={() => onChange({ ...item, open: !item.open })}
          >
            <IconChevronRight size={14} className={classes.chevron} aria-hidden />
            <span className={classes.index} title="What matched_rule_index says when this rule answers">
              {index}
            </span>
            <span className={classes.sentence}>{sentenceOf(rule)}</span>
            {faults.length > 0 && (
              <ToneBadge tone="red">{faults.length === 1 ? "1 error" : `${faults.length} errors`}</ToneBadge>
            )}
          </UnstyledButton>
          <Action
            label={`Edit rule ${index} as ${isForm ? "JSON" : "a form"}`}
            help={other === item ? "A form cannot show all that this rule says" : undefined}
            disabled={other === item}
            onClick={() => onChange({ ...other, open: true })}
          >
            {isForm ? <IconBraces size={15} /> : <IconForms size={15} />}
          </Action>
          <Action label={`Move rule ${index} up`} disabled={index === 0} onClick={() => onMove(index - 1)}>
            <IconArrowUp size={15} />
          </Action>
          <Action
            label={`Move rule ${index} down`}
            disabled={index === last}
            onClick={() => onMove(index + 1)}
          >
            <IconArrowDown size={15} />
          </Action>
          <Action label={`Duplicate rule ${index}`} onClick={onDuplicate}>
            <IconCopy size={15} />
          </Action>
          <Action label={`Remove rule ${index}`} onClick={onRemove}>
            <IconTrash size={15} />
          </Action>
        </div>
        {item.open && (
          <div className={classes.body} id={body}>
            {item.content.kind === "form" ? (
              <Fields
                form={item.content.form}
                faults={faults}
                known={known}
                onChange={(form) => onChange({ ...item, content: { kind: "form", form } })}
              />
            ) : (
              <RuleJson
                index={index}
                text={item.content.text}
                faults={faults}
                known={known}
                onChange={(text) => onChange({ ...item, content: { kind: "json", text } })}
              />
            )}
          </div>
        )}
      </fieldset>
    </li>
  );
}

interface ActionProps {
  label: string;
  help?: string | undefined;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Action({ label, help, disabled = false, onClick, children }: ActionProps) {
  return (
    <Tooltip label={help ?? label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.action}
        aria-label={label}
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

interface FieldsProps {
  form: RuleForm;
  faults: FieldError[];
  known: PatternContext;
  onChange: (form: RuleForm) => void;
}

function Fields({ form, faults, known, onChange }: FieldsProps) {
  const change = (part: Partial<RuleForm>) => onChange({ ...form, ...part });
  return (
    <>
      <Part title="Which calls">
        <MatchFields form={form} faults={faults} tools={known.tools} onChange={change} />
      </Part>
      <Part title="What happens">
        <OutcomeFields form={form} faults={faults} known={known} onChange={change} />
      </Part>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.part}>
      <Text component="h3" className={classes.partTitle}>
        {title}
      </Text>
      <div className={classes.fields}>{children}</div>
    </div>
  );
}

interface RuleJsonProps {
  index: number;
  text: string;
  faults: FieldError[];
  known: PatternContext;
  onChange: (text: string) => void;
}

function RuleJson({ index, text, faults, known, onChange }: RuleJsonProps) {
  const completions = useMemo(() => ruleCompletions(known, true), [known]);
  return (
    <JsonField
      label={`Rule ${index} as JSON`}
      value={text}
      onChange={onChange}
      errors={faults}
      completions={completions}
      minHeight={96}
      maxHeight={420}
    />
  );
}
