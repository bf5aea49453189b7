import { Group, Input, NativeSelect, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { errorsAt, errorsBelow, type FieldError } from "~/api/problem";
import { ArgumentRows } from "~/components/rules/argument-rows";
import type { CallForm, CallKind, RuleForm } from "~/components/rules/model";
import classes from "~/components/rules/rules.module.css";
import { isGlob, matchedTools, type ToolInfo } from "~/components/rules/tools";

const MOST_NAMED = 6;

interface MatchFieldsProps {
  form: RuleForm;
  faults: FieldError[];
  tools: ToolInfo[];
  onChange: (part: Partial<RuleForm>) => void;
}

/** Which calls a rule is about. */
export function MatchFields({ form, faults, tools, onChange }: MatchFieldsProps) {
  return (
    <>
      <TagsInput
        label="Tools"
        size="xs"
        placeholder={form.tools.length === 0 ? "Every tool; or names, or globs such as get_*" : ""}
        data={tools.map(({ name }) => name).filter((name) => !form.tools.includes(name))}
        value={form.tools}
        onChange={(names) => onChange({ tools: names })}
        splitChars={[",", " "]}
        clearable
        clearButtonProps={{ "aria-label": "Every tool" }}
        error={firstMessage(faults, "tool")}
        description={describeTools(form.tools, tools)}
        inputWrapperOrder={["label", "input", "error", "description"]}
      />
      <ArgumentRows
        rows={form.args}
        faults={errorsBelow(faults, "args")}
        tools={matchedTools(form.tools, tools)}
        onChange={(args) => onChange({ args })}
      />
      <div className={classes.line}>
        <CallFields
          call={form.call}
          faults={errorsBelow(faults, "call")}
          onChange={(call) => onChange({ call })}
        />
        <TextInput
          label="Probability"
          size="xs"
          w={112}
          inputMode="decimal"
          placeholder="always"
          value={form.probability}
          onChange={({ currentTarget }) => onChange({ probability: currentTarget.value })}
          error={firstMessage(faults, "probability")}
          rightSection={<Percent written={form.probability} />}
          rightSectionWidth={52}
        />
        <TextInput
          label="At most"
          size="xs"
          w={100}
          inputMode="numeric"
          placeholder="no limit"
          value={form.times}
          onChange={({ currentTarget }) => onChange({ times: currentTarget.value })}
          error={firstMessage(faults, "times")}
          rightSection={<span className={classes.kind}>times</span>}
          rightSectionWidth={42}
        />
      </div>
      <Textarea
        label="When"
        size="xs"
        autosize
        minRows={1}
        maxRows={8}
        spellCheck={false}
        className={classes.mono}
        placeholder="state.order[args.order_id].total > 100"
        value={form.when}
        onChange={({ currentTarget }) => onChange({ when: currentTarget.value })}
        error={firstMessage(faults, "when")}
        description="A CEL expression over args, state (by type and id), flags, calls (earlier ones: tool, args, source) and actor."
        inputWrapperOrder={["label", "input", "error", "description"]}
      />
    </>
  );
}

function Percent({ written }: { written: string }) {
  const share = Number(written);
  if (written.trim() === "" || !Number.isFinite(share)) return null;
  return <span className={classes.kind}>{Number((share * 100).toPrecision(4))} %</span>;
}

const CALL_KINDS: { value: CallKind; label: string }[] = [
  { value: "any", label: "Any call" },
  { value: "nth", label: "The nth call" },
  { value: "range", label: "From – to" },
  { value: "every", label: "Every nth call" },
];

interface CallFieldsProps {
  call: CallForm;
  faults: FieldError[];
  onChange: (call: CallForm) => void;
}

/** Counted are the calls that pass tools and arguments. */
function CallFields({ call, faults, onChange }: CallFieldsProps) {
  const field = (name: "nth" | "from" | "to" | "every", label: string) => (
    <TextInput
      aria-label={label}
      size="xs"
      w={64}
      inputMode="numeric"
      placeholder={name === "to" ? "end" : "1"}
      value={call[name]}
      onChange={({ currentTarget }) => onChange({ ...call, [name]: currentTarget.value })}
      error={faults.length > 0}
    />
  );
  return (
    <Input.Wrapper label="Calls" labelElement="div" size="xs" error={faults[0]?.msg}>
      <Group gap={6} wrap="nowrap">
        <NativeSelect
          aria-label="Which of the calls"
          size="xs"
          w={124}
          data={CALL_KINDS}
          value={call.kind}
          onChange={({ currentTarget }) => onChange({ ...call, kind: currentTarget.value as CallKind })}
        />
        {call.kind === "nth" && field("nth", "Number of the call")}
        {call.kind === "every" && field("every", "Every how many calls")}
        {call.kind === "range" && (
          <>
            {field("from", "From call")}
            <Text span size="xs">
              –
            </Text>
            {field("to", "To call")}
          </>
        )}
      </Group>
    </Input.Wrapper>
  );
}

function describeTools(names: string[], tools: ToolInfo[]): string | null {
  if (tools.length === 0 || names.length === 0) return null;
  const matched = matchedTools(names, tools).map(({ name }) => name);
  const strangers = names.filter((name) => matchedTools([name], tools).length === 0);
  const parts: string[] = [];
  if (names.some(isGlob) && matched.length > 0) {
    const more = matched.length - MOST_NAMED;
    const listed = more > 0 ? [...matched.slice(0, MOST_NAMED), `${more} more`] : matched;
    parts.push(`Matches ${listed.join(", ")}.`);
  }
  if (strangers.length > 0) parts.push(`There is no tool ${strangers.join(", ")} here.`);
  return parts.join(" ") || null;
}

function firstMessage(faults: FieldError[], member: string): string | null {
  return errorsAt(faults, member)[0]?.msg ?? null;
}
