import { Button, Checkbox, Input, NumberInput, SegmentedControl, Select, Stack, Text } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Delivery } from "~/api/evals";
import { asProblem, messageAt } from "~/api/problem";
import { type Agent, agentsQuery } from "~/api/queries";
import { type EvalRunsBody, type Scenario, startEvalRuns } from "~/api/scenarios";
import { DOSES, type Dose, variationsQuery } from "~/api/variations";
import { AgentField } from "~/components/agent-field";
import { Panel, TextLink } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { Started } from "~/pages/scenarios/detail/started";
import { VariationField } from "~/pages/scenarios/detail/variation-field";

const MOST_REPEATS = 100;
const DELIVERIES: { value: Delivery; label: string; means: string }[] = [
  { value: "user", label: "Ahead of the instruction", means: "The text stands before the instruction." },
  {
    value: "system",
    label: "As a system prompt",
    means:
      "The agent is handed the text and must put it into its system prompt; whether it did is looked at.",
  },
  {
    value: "tool_result",
    label: "In a tool’s answer",
    means: "The answer to a call carries the text; the world itself stays as it is.",
  },
];

/** Runs it as it is, or under a pressure. */
export function RunPanel({ scenario }: { scenario: Scenario }) {
  const client = useQueryClient();
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: variations = [] } = useQuery(variationsQuery);
  const [agentId, setAgentId] = useState(scenario.agent_id);
  const [variation, setVariation] = useState<string | null>(null);
  const [dose, setDose] = useState<Dose>("medium");
  const [delivery, setDelivery] = useState<Delivery | null>(null);
  const [step, setStep] = useState<number | string>(1);
  const [placebo, setPlacebo] = useState(false);
  const [repeats, setRepeats] = useState<number | string>(4);
  const agent = chosenAgent(agents, agentId);
  const way = delivery ?? configured(agent);

  const start = useMutation({
    mutationFn: startEvalRuns,
    onSuccess: () => void client.invalidateQueries({ queryKey: ["evals"] }),
  });
  const problem = start.error === null ? null : asProblem(start.error);
  const errors = problem?.errors ?? [];
  const placed = ["agent_id", "variation_type", "repeats", "delivery", "dose", "step"];
  const elsewhere = errors.filter(({ loc }) => !placed.includes(String(loc[0])));

  function changing<T>(set: (value: T) => void): (value: T) => void {
    return (value) => {
      start.reset();
      set(value);
    };
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    const pressure = {
      variation_type: variation,
      dose,
      placebo,
      ...(delivery !== null && { delivery }),
      ...(way === "tool_result" && { step: Number(step) }),
    };
    start.mutate({
      scenario_id: scenario.id,
      repeats: Number(repeats),
      ...(agent && { agent_id: agent.id }),
      ...(variation !== null && pressure),
    } as EvalRunsBody);
  }

  return (
    <Panel title="Run">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <AgentField
            agents={agents}
            chosen={agent}
            onChoose={changing(setAgentId)}
            error={messageAt(errors, "agent_id")}
          />
          <VariationField
            variations={variations}
            value={variation}
            onChange={changing(setVariation)}
            error={messageAt(errors, "variation_type")}
          />
          {variation !== null && (
            <>
              <Input.Wrapper label="Dose" labelElement="div" error={messageAt(errors, "dose")}>
                <SegmentedControl
                  size="xs"
                  fullWidth
                  aria-label="Dose"
                  data={[...DOSES]}
                  value={dose}
                  onChange={changing((value: string) => setDose(value as Dose))}
                />
              </Input.Wrapper>
              <Select
                label="Delivery"
                clearable
                clearButtonProps={{ "aria-label": "Delivery as the agent has it" }}
                placeholder={`As the agent has it: ${configured(agent)}`}
                data={DELIVERIES.map(({ value, label }) => ({ value, label }))}
                value={delivery}
                onChange={changing((value: string | null) => setDelivery(value as Delivery | null))}
                description={DELIVERIES.find(({ value }) => value === way)?.means}
                inputWrapperOrder={["label", "input", "error", "description"]}
                error={messageAt(errors, "delivery")}
              />
              {way === "tool_result" && (
                <NumberInput
                  label="From which call on"
                  min={1}
                  max={1000}
                  clampBehavior="strict"
                  allowDecimal={false}
                  value={step}
                  onChange={changing(setStep)}
                  error={messageAt(errors, "step")}
                />
              )}
              <Checkbox
                size="xs"
                label="Placebo instead"
                description="A text as long that presses for nothing. It shows what length alone does."
                checked={placebo}
                onChange={({ currentTarget }) => changing(setPlacebo)(currentTarget.checked)}
              />
            </>
          )}
          <NumberInput
            label="Repeats"
            min={1}
            max={MOST_REPEATS}
            clampBehavior="strict"
            allowDecimal={false}
            value={repeats}
            onChange={changing(setRepeats)}
            description={
              variation === null
                ? "At least 4 baselines are needed to tell a shift from noise; 12 are better."
                : "At least 3 under one pressure, beside 4 baselines; without a baseline one is run first."
            }
            inputWrapperOrder={["label", "input", "error", "description"]}
            error={messageAt(errors, "repeats")}
          />
          {problem && (errors.length === 0 || elsewhere.length > 0) && (
            <Refusal error={problem} title="Not started" />
          )}
          {elsewhere.map(({ loc, msg }) => (
            <Text key={`${loc.join(".")} ${msg}`} size="xs" c="var(--band-red)">
              {msg}
            </Text>
          ))}
          <Button
            type="submit"
            leftSection={<IconPlayerPlay size={15} />}
            loading={start.isPending}
            disabled={agent?.published_version == null || Number(repeats) < 1}
          >
            Start {variation === null ? "baselines" : placebo ? "with the placebo" : "under pressure"}
          </Button>
          {agents.length === 0 && (
            <Text size="xs">
              <TextLink to="/agents" inherit underline="always">
                Register and publish an agent
              </TextLink>{" "}
              first.
            </Text>
          )}
          {start.data && <Started scenario={scenario} runs={start.data.runs} />}
        </Stack>
      </form>
    </Panel>
  );
}

/** The one that is named, or the only one there is to choose. */
function chosenAgent(agents: Agent[], agentId: number | null): Agent | undefined {
  const published = agents.filter(({ published_version }) => published_version !== null);
  return agents.find(({ id }) => id === agentId) ?? (published.length === 1 ? published[0] : undefined);
}

function configured(agent: Agent | undefined): Delivery {
  const named = agent?.config.variation_delivery;
  return DELIVERIES.find(({ value }) => value === named)?.value ?? "user";
}
