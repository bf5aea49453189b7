import { Stack, Text } from "@mantine/core";
import { IconArrowForwardUp, IconHourglass, IconPlugConnectedX } from "@tabler/icons-react";
import { Banner } from "~/components/banner";
import { JsonView } from "~/components/json-view";
import { Section } from "~/components/section";
import { EndpointPairs } from "~/pages/run/detail/live-tool";
import { isRecord, textOf } from "~/pages/run/model/events";
import type { Sent, Step } from "~/pages/run/model/waterfall";
import { StepLink } from "~/pages/run/transcript/step-link";

/** A call on its way to a live tool: recorded before it is sent, so that nothing is ever sent unseen. */
export function ForwardDetail({ step }: { step: Step }) {
  const { endpoint, arguments: args } = step.event.data;
  const where = isRecord(endpoint) ? endpoint : {};
  return (
    <Stack gap="md">
      {step.sent && <State sent={step.sent} />}
      <Section title="Where it goes">
        <EndpointPairs
          id={textOf(where.id)}
          name={textOf(where.name)}
          type={textOf(where.type)}
          tool={textOf(where.tool_name)}
          rest={[["Method", textOf(where.method)?.toUpperCase() ?? null]]}
        />
      </Section>
      <Section title="Arguments">
        <JsonView key={step.sequence} value={args ?? null} name="arguments" depth={3} />
      </Section>
    </Stack>
  );
}

function State({ sent }: { sent: Sent }) {
  if (sent.state === "answered") {
    return (
      <Banner tone="passthrough" icon={<IconArrowForwardUp size={16} aria-hidden />} label="What came of it">
        <Text size="sm">
          Sent once. What came of it is <StepLink step={sent.step}>step {sent.step}</StepLink>.
        </Text>
      </Banner>
    );
  }
  if (sent.state === "waiting") {
    return (
      <Banner tone="live" icon={<IconHourglass size={16} aria-hidden />} label="Waiting for an answer">
        <Text size="sm">The live tool has been asked; its answer appears as a step of its own.</Text>
      </Banner>
    );
  }
  return (
    <Banner
      tone="transport_error"
      icon={<IconPlugConnectedX size={16} aria-hidden />}
      label="Outcome unknown"
    >
      <Text size="sm" fw={600}>
        Sent, outcome unknown.
      </Text>
      <Text size="sm">
        The run ended before an answer was recorded. It may have had an effect at the live tool; it is not
        sent again.
      </Text>
    </Banner>
  );
}
