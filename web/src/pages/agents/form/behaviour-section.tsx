import { Input, SegmentedControl, Switch, Text } from "@mantine/core";
import { errorsAt, messageAt } from "~/api/problem";
import { FormSection } from "~/components/form/form-section";
import { CONSISTENCY_MODES, type ConsistencyMode } from "~/pages/agents/form/draft";
import type { FieldsProps } from "~/pages/agents/form/endpoint-section";

const CONSISTENCY: Record<ConsistencyMode, string> = {
  off: "The simulated world takes whatever the simulator writes.",
  warn: "Contradictions, such as an update of something that does not exist, are applied and noted on the run.",
  strict: "Contradictions are refused, so the world never holds them.",
};

export function BehaviourSection({ draft, change, faults }: FieldsProps) {
  const guard = errorsAt(faults, "config", "response_contract")[0]?.msg ?? null;
  return (
    <FormSection title="Behaviour" about="What counts as an answer, and how strict the simulated world is.">
      <Switch
        label="Require a gradeable rich transcript"
        description="A run whose answer has no assistant message with text fails as response_contract_violation and is not graded."
        checked={draft.guarded}
        onChange={(event) => change({ guarded: event.currentTarget.checked })}
        error={guard}
        maw={640}
      />
      <Input.Wrapper
        label="Ledger consistency"
        labelElement="div"
        error={messageAt(faults, "config", "consistency_mode")}
      >
        <div>
          <SegmentedControl
            size="xs"
            aria-label="Ledger consistency"
            data={[...CONSISTENCY_MODES]}
            value={draft.consistencyMode}
            onChange={(mode) => change({ consistencyMode: mode as ConsistencyMode })}
          />
        </div>
        <Text size="xs" c="var(--ody-text-dim)" mt={4}>
          {CONSISTENCY[draft.consistencyMode]}
        </Text>
      </Input.Wrapper>
    </FormSection>
  );
}
