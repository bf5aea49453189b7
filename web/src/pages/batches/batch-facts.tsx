import { Tooltip } from "@mantine/core";
import type { Batch } from "~/api/batches";
import { ToneBadge } from "~/components/badges";
import { endedRuns } from "~/components/batches/outcomes";
import { Fact, Facts } from "~/components/facts";
import { money } from "~/components/money";
import { TextLink } from "~/components/page";
import { Ago, duration, Elapsed } from "~/components/time";
import classes from "~/pages/batches/batches.module.css";

export function BatchFacts({ batch }: { batch: Batch }) {
  return (
    <Facts label="About this batch">
      <Fact label="Agent">
        <TextLink to="/agents/$agentId" params={{ agentId: batch.agent_id }} fw={600}>
          {batch.agent_name}
        </TextLink>
        <span className={classes.dim}>v{batch.agent_version}</span>
      </Fact>
      <Fact label="Dataset">
        {batch.dataset_id === null ? (
          "none, seeds were given"
        ) : (
          <>
            <TextLink to="/datasets/$datasetId" params={{ datasetId: batch.dataset_id }}>
              {batch.dataset_name}
            </TextLink>
            <span className={classes.dim}>revision {batch.revision}</span>
          </>
        )}
      </Fact>
      <Fact label="Runs">
        {endedRuns(batch).toLocaleString("en")} of {batch.planned_runs.toLocaleString("en")}
        {batch.repeats > 1 && <span className={classes.dim}>each task {batch.repeats} times</span>}
      </Fact>
      <Fact label="Ping">
        <Ping batch={batch} />
      </Fact>
      <Fact label="Cost of models">{money(batch.cost_usd)}</Fact>
      <Fact label="Created">
        <Ago at={batch.created_at} />
      </Fact>
      <Fact label="Took">
        <Elapsed from={batch.created_at} to={ended(batch)} />
      </Fact>
    </Facts>
  );
}

/** A batch that ended before anything ran has no end of its own. */
function ended({ status, finished_at, created_at }: Batch): string | null {
  return status === "checking" || status === "running" ? null : (finished_at ?? created_at);
}

function Ping({ batch: { ping, status } }: { batch: Batch }) {
  if (ping === null) return <>{status === "checking" ? "under way" : "none"}</>;
  const words = ping.ok ? `answered in ${duration(ping.latency_ms)}` : "no answer";
  return (
    <Tooltip label={ping.detail} multiline maw={320}>
      <span>
        <ToneBadge tone={ping.ok ? "green" : "red"}>
          {ping.status === null ? words : `${ping.status}, ${words}`}
        </ToneBadge>
      </span>
    </Tooltip>
  );
}
