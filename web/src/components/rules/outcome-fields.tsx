import { Button, Input, Radio, SegmentedControl, TextInput } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { writeJson } from "~/api/json";
import { errorsAt, errorsBelow, type FieldError, messageAt } from "~/api/problem";
import { JsonField } from "~/components/json-field";
import { FAULTS, type Outcome, type RuleForm } from "~/components/rules/model";
import { exampleOperation, type PatternContext } from "~/components/rules/patterns";
import classes from "~/components/rules/rules.module.css";

const OUTCOME_NAMES: { value: Outcome; label: string }[] = [
  { value: "error", label: "Error" },
  { value: "response", label: "Response" },
  { value: "fault", label: "Broken connection" },
];

interface OutcomeFieldsProps {
  form: RuleForm;
  faults: FieldError[];
  known: PatternContext;
  onChange: (part: Partial<RuleForm>) => void;
}

/** What a call that matches gets, when, and what changes besides. */
export function OutcomeFields({ form, faults, known, onChange }: OutcomeFieldsProps) {
  // Also while it is empty: whoever clears the text is about to write another.
  const [writesLedger, setWritesLedger] = useState(form.ledger !== "");
  const stray = errorsAt(faults, "response").filter(() => form.outcome !== "response");
  return (
    <>
      <div className={classes.line}>
        <Input.Wrapper label="Outcome" labelElement="div" size="xs" error={stray[0]?.msg}>
          <SegmentedControl
            size="xs"
            display="flex"
            aria-label="Outcome"
            data={OUTCOME_NAMES}
            value={form.outcome}
            onChange={(outcome) => onChange({ outcome: outcome as Outcome, response: form.response || "{}" })}
          />
        </Input.Wrapper>
        <TextInput
          label="Delay"
          size="xs"
          w={112}
          inputMode="numeric"
          placeholder="none"
          value={form.latency_ms}
          onChange={({ currentTarget }) => onChange({ latency_ms: currentTarget.value })}
          error={errorsAt(faults, "latency_ms")[0]?.msg}
          rightSection={<span className={classes.kind}>ms</span>}
        />
      </div>
      {form.outcome === "error" && (
        <ErrorFields error={form.error} faults={faults} onChange={(error) => onChange({ error })} />
      )}
      {form.outcome === "response" && (
        <JsonField
          label="Response"
          description="Any JSON; the agent gets it as the tool's answer."
          value={form.response}
          onChange={(response) => onChange({ response })}
          errors={errorsBelow(faults, "response")}
          minHeight={56}
          maxHeight={280}
        />
      )}
      {form.outcome === "fault" && (
        <Radio.Group
          label="Fault"
          size="xs"
          value={form.fault}
          onChange={(fault) => onChange({ fault })}
          error={errorsAt(faults, "fault")[0]?.msg}
        >
          <div className={classes.choices}>
            {FAULTS.map(({ value, label, help }) => (
              <Radio key={value} value={value} size="xs" label={label} description={help} />
            ))}
          </div>
        </Radio.Group>
      )}
      {!writesLedger ? (
        <Input.Wrapper label="Ledger" labelElement="div" size="xs">
          <Button
            size="compact-xs"
            variant="subtle"
            display="block"
            className={classes.inline}
            leftSection={<IconPlus size={12} />}
            onClick={() => {
              setWritesLedger(true);
              onChange({ ledger: writeJson([exampleOperation(known.entityTypes)]) });
            }}
          >
            Unchanged; add a change
          </Button>
        </Input.Wrapper>
      ) : (
        <JsonField
          label="Ledger"
          description="Operations that happen although the call fails: add, update, remove, set_flag, clear_flag."
          value={form.ledger}
          onChange={(ledger) => onChange({ ledger })}
          errors={errorsBelow(faults, "ledger")}
          minHeight={56}
          maxHeight={280}
        />
      )}
    </>
  );
}

interface ErrorFieldsProps {
  error: RuleForm["error"];
  faults: FieldError[];
  onChange: (error: RuleForm["error"]) => void;
}

function ErrorFields({ error, faults, onChange }: ErrorFieldsProps) {
  return (
    <div className={classes.line}>
      <TextInput
        label="Error code"
        size="xs"
        w={180}
        className={classes.mono}
        placeholder="card_declined"
        value={error.code}
        onChange={({ currentTarget }) => onChange({ ...error, code: currentTarget.value })}
        error={messageAt(faults, "error", "code") ?? messageAt(faults, "error")}
      />
      <TextInput
        label="Error message"
        size="xs"
        style={{ flex: "1 1 220px" }}
        placeholder="The card was declined."
        value={error.message}
        onChange={({ currentTarget }) => onChange({ ...error, message: currentTarget.value })}
        error={messageAt(faults, "error", "message")}
      />
    </div>
  );
}
