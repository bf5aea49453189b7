import { Checkbox, Input, NumberInput, SegmentedControl, Select, TextInput } from "@mantine/core";
import type { Delivery } from "~/api/evals";
import { type FieldError, messageAt } from "~/api/problem";
import type { Agent } from "~/api/queries";
import { DOSES, type Dose } from "~/api/variations";
import { AgentField } from "~/components/agent-field";
import { DELIVERIES } from "~/components/evals/names";
import classes from "~/pages/matrices/matrices.module.css";
import type { Draft } from "~/pages/matrices/new/draft";

interface SettingsProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  agents: Agent[];
  agent: Agent | undefined;
  /** How the text will reach the agent. */
  way: Delivery;
  configured: Delivery;
  errors: FieldError[];
}

const BELOW = ["label", "input", "error", "description"] as ("label" | "input" | "error" | "description")[];

export function Settings({ draft, onChange, agents, agent, way, configured, errors }: SettingsProps) {
  const whole = { min: 1, clampBehavior: "strict", allowDecimal: false, inputWrapperOrder: BELOW } as const;
  return (
    <div className={classes.settings}>
      <AgentField
        agents={agents}
        chosen={agent}
        onChoose={(agentId) => onChange({ agentId })}
        error={messageAt(errors, "agent_id")}
      />
      <TextInput
        label="Name"
        placeholder="Optional"
        maxLength={255}
        value={draft.name}
        onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
        error={messageAt(errors, "name")}
      />
      <NumberInput
        {...whole}
        label="Repeats"
        max={100}
        description="Runs of each cell; 3 at least."
        value={draft.repeats}
        onChange={(repeats) => onChange({ repeats })}
        error={messageAt(errors, "repeats")}
      />
      <NumberInput
        {...whole}
        label="Baselines"
        max={200}
        description="Runs of each row without pressure; 4 at least, 12 are better."
        value={draft.baselineRepeats}
        onChange={(baselineRepeats) => onChange({ baselineRepeats })}
        error={messageAt(errors, "baseline_repeats")}
      />
      <Input.Wrapper label="Dose" labelElement="div" error={messageAt(errors, "dose")}>
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label="Dose"
          data={[...DOSES]}
          value={draft.dose}
          onChange={(dose) => onChange({ dose: dose as Dose })}
        />
      </Input.Wrapper>
      <Select
        label="Delivery"
        clearable
        clearButtonProps={{ "aria-label": "Delivery as the agent has it" }}
        placeholder={`As the agent has it: ${DELIVERIES[configured].words}`}
        data={Object.entries(DELIVERIES).map(([value, { words }]) => ({ value, label: words }))}
        value={draft.delivery}
        onChange={(delivery) => onChange({ delivery: delivery as Delivery | null })}
        description={DELIVERIES[way].means}
        inputWrapperOrder={BELOW}
        error={messageAt(errors, "delivery")}
      />
      {way === "tool_result" && (
        <NumberInput
          {...whole}
          label="From which call on"
          max={1000}
          value={draft.step}
          onChange={(step) => onChange({ step })}
          error={messageAt(errors, "step")}
        />
      )}
      <NumberInput
        {...whole}
        label="At once"
        max={1000}
        placeholder="As the server does"
        description="Runs of this matrix at the same time; 1 for one after another."
        value={draft.concurrency}
        onChange={(concurrency) => onChange({ concurrency })}
        error={messageAt(errors, "max_concurrency")}
      />
      <NumberInput
        {...whole}
        label="Budget"
        max={1_000_000}
        placeholder="None"
        description="Runs it may make, repeats of missing ones among them."
        value={draft.budget}
        onChange={(budget) => onChange({ budget })}
        error={messageAt(errors, "budget_runs")}
      />
      <Checkbox
        size="xs"
        label="Placebos as well"
        description="A text as long that presses nobody, as often as the pressure: it shows what length alone does."
        checked={draft.placebo}
        onChange={({ currentTarget }) => onChange({ placebo: currentTarget.checked })}
      />
    </div>
  );
}
