import { Alert, NumberInput, Text, TextInput } from "@mantine/core";
import { type FieldError, messageAt } from "~/api/problem";
import type { Agent } from "~/api/queries";
import { FormSection } from "~/components/form/form-section";
import { AuthHeaderFields } from "~/pages/agents/form/auth-header-fields";
import type { AgentDraft } from "~/pages/agents/form/draft";
import { TryConnection } from "~/pages/agents/form/try-connection";

const LONGEST_RUN_S = 1800;

export interface FieldsProps {
  draft: AgentDraft;
  change: (patch: Partial<AgentDraft>) => void;
  faults: FieldError[];
}

export function EndpointSection(
  props: FieldsProps & { saved: Agent | null; onLeave: (field: string) => void },
) {
  const { draft, change, faults, saved, onLeave } = props;
  const http = draft.mode === "http";
  return (
    <FormSection
      title="Endpoint"
      about={
        http
          ? "Where Odyssey sends each task, and how it proves that it is Odyssey."
          : "How long a run may take. A code agent is not reached over the network."
      }
    >
      {http ? (
        <>
          <TextInput
            label="Endpoint URL"
            required
            withAsterisk={false}
            description="Receives one POST per run and answers when the agent is done."
            placeholder="https://agent.example.com/run"
            inputMode="url"
            value={draft.endpointUrl}
            onChange={(event) => change({ endpointUrl: event.currentTarget.value })}
            onBlur={() => onLeave("endpoint_url")}
            error={messageAt(faults, "config", "endpoint_url")}
            spellCheck={false}
            maw={640}
          />
          <AuthHeaderFields draft={draft} change={change} faults={faults} saved={saved} />
          <TryConnection draft={draft} saved={saved} />
        </>
      ) : (
        <Alert color="gray" title="A code agent">
          <Text size="sm">
            Its source, entry point and requirements are in “Other settings” below. This version of Odyssey
            keeps code agents as drafts; it cannot run them yet.
          </Text>
        </Alert>
      )}
      <NumberInput
        label="Time-out"
        description={`Seconds a run may take, at most ${LONGEST_RUN_S}.`}
        suffix=" s"
        min={1}
        max={LONGEST_RUN_S}
        clampBehavior="none"
        allowDecimal={false}
        value={draft.runTimeoutS}
        onChange={(runTimeoutS) => change({ runTimeoutS })}
        error={messageAt(faults, "config", "run_timeout_s")}
        maw={220}
      />
    </FormSection>
  );
}
