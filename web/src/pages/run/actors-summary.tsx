import { Group, Text } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { useMemo } from "react";
import { Section } from "~/components/section";
import { ActorMark } from "~/pages/run/actor-mark";
import classes from "~/pages/run/actors-summary.module.css";
import { actorTree, handoffsOf } from "~/pages/run/model/actors";
import { StepLink } from "~/pages/run/transcript/step-link";
import type { RunView } from "~/pages/run/view";

const MOST_HANDOFFS = 30;

/** Who acted how much, and who handed over to whom; nothing for an agent that is one. */
export function ActorsSummary({ view: { events, declared } }: { view: RunView }) {
  const actors = useMemo(() => actorTree(events, declared), [events, declared]);
  const handoffs = useMemo(() => handoffsOf(events), [events]);
  if (actors.length < 2) return null;
  return (
    <Section title="Actors">
      <ul className={classes.tree}>
        {actors.map((actor) => (
          <li key={actor.id} style={{ paddingLeft: actor.depth * 18 }}>
            <ActorMark actor={actor.id} declared={declared} />
            <Text span size="xs" c="var(--ody-text-dim)">
              {actor.calls + actor.events === 0
                ? "idle"
                : `${calls(actor.calls)}, ${traceEvents(actor.events)}`}
            </Text>
          </li>
        ))}
      </ul>
      {handoffs.slice(0, MOST_HANDOFFS).map((handoff) => (
        <Group key={handoff.sequence} gap={6} mt={6} fz="xs">
          <StepLink step={handoff.sequence}>step {handoff.sequence}</StepLink>
          <span className={classes.name}>{handoff.from}</span>
          <IconArrowRight size={12} aria-label="to" />
          <span className={classes.name}>{handoff.to}</span>
          {handoff.reason && (
            <Text span size="xs" c="var(--ody-text-dim)" lineClamp={1}>
              {handoff.reason}
            </Text>
          )}
        </Group>
      ))}
    </Section>
  );
}

function calls(count: number): string {
  return `${count} ${count === 1 ? "call" : "calls"}`;
}

function traceEvents(count: number): string {
  return `${count} ${count === 1 ? "event" : "events"}`;
}
