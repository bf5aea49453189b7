import { Stack, Text } from "@mantine/core";
import { IconArrowRight, IconCircleX } from "@tabler/icons-react";
import { Banner } from "~/components/banner";
import { JsonView } from "~/components/json-view";
import { PlainText, Section } from "~/components/section";
import { ActorMark } from "~/pages/run/actor-mark";
import classes from "~/pages/run/detail/detail.module.css";
import { payloadOf, textOf, wordsOf } from "~/pages/run/model/events";
import { REFUSALS } from "~/pages/run/model/refusals";
import type { Step } from "~/pages/run/model/waterfall";
import type { RunView } from "~/pages/run/view";

/** What the agent told of itself. */
export function TraceEventDetail({ view, step }: { view: RunView; step: Step }) {
  if (step.refused) return <RefusedEvent step={step} />;
  const payload = payloadOf(step.event);
  const handoff = step.name === "handoff";
  const words = wordsOf(payload);
  const shown = handoff
    ? ["from", "to", "reason"]
    : words === null
      ? []
      : [textOf(payload.text) ? "text" : "content"];
  const rest = Object.fromEntries(Object.entries(payload).filter(([name]) => !shown.includes(name)));
  return (
    <Stack gap="md">
      {handoff && <HandoffDetail payload={payload} declared={view.declared} />}
      {!handoff && words !== null && <PlainText key={step.sequence} text={words} label={step.name} />}
      {Object.keys(rest).length > 0 && (
        <Section title={shown.length > 0 ? "Rest of the payload" : "Payload"}>
          <JsonView key={step.sequence} value={rest} name="payload" depth={3} />
        </Section>
      )}
      <Text size="xs" c="var(--ody-text-dim)">
        Told by the agent, not observed by the proxy.
      </Text>
    </Stack>
  );
}

function HandoffDetail({
  payload,
  declared,
}: {
  payload: Record<string, unknown>;
  declared: Set<string> | null;
}) {
  const reason = textOf(payload.reason);
  return (
    <Stack gap="xs">
      <div className={classes.handoff}>
        <ActorMark actor={String(payload.from ?? "?")} declared={declared} />
        <IconArrowRight size={15} aria-label="to" />
        <ActorMark actor={String(payload.to ?? "?")} declared={declared} />
      </div>
      {reason && <PlainText text={reason} label="reason" />}
    </Stack>
  );
}

function RefusedEvent({ step }: { step: Step }) {
  const code = textOf(step.event.data.code) ?? "refused";
  return (
    <Stack gap="md">
      <Banner tone="error" icon={<IconCircleX size={16} aria-hidden />} label="Why the event was refused">
        <Text size="sm" fw={600}>
          {REFUSALS[code] ?? "The proxy refused this event."}{" "}
          <Text span size="xs" fw={400} ff="monospace" c="var(--ody-text-dim)">
            {code}
          </Text>
        </Text>
        {textOf(step.event.data.detail) && <Text size="sm">{String(step.event.data.detail)}</Text>}
      </Banner>
      {textOf(step.event.data.body) && (
        <Section title="Body as it arrived">
          <PlainText text={String(step.event.data.body)} label="body" />
        </Section>
      )}
    </Stack>
  );
}
