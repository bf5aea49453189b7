import { Text } from "@mantine/core";
import type { Agent } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { Ago, duration } from "~/components/time";
import classes from "~/pages/agents/agents.module.css";

/** What the last ping found: whether the agent was there, and when that was. */
export function Health({ agent: { health, mode } }: { agent: Pick<Agent, "health" | "mode"> }) {
  if (health === null) {
    return (
      <Text span size="xs" c="var(--ody-text-dim)">
        {mode === "http" ? "never" : "–"}
      </Text>
    );
  }
  return (
    <span className={classes.health}>
      <ToneBadge tone={health.ok ? "green" : "red"} help={health.detail}>
        {health.ok ? `up, ${duration(health.latency_ms)}` : (health.error_class ?? "down")}
      </ToneBadge>{" "}
      <Text span size="xs" c="var(--ody-text-dim)">
        <Ago at={health.checked_at} />
      </Text>
    </span>
  );
}
