import { useQuery } from "@tanstack/react-query";
import { type Agent, latestRunQuery, type RunSummary } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { TextLink } from "~/components/page";
import { RunOutcome } from "~/components/runs-table";
import { Ago } from "~/components/time";
import classes from "~/pages/home/home.module.css";

/** Agents with how their newest run went. */
export function AgentOutcomes({ agents, runs }: { agents: Agent[]; runs: RunSummary[] }) {
  return (
    <ul className={classes.agents}>
      {agents.map((agent) => (
        <AgentOutcome key={agent.id} agent={agent} recent={runs.find((run) => run.agent_id === agent.id)} />
      ))}
    </ul>
  );
}

function AgentOutcome({ agent, recent }: { agent: Agent; recent: RunSummary | undefined }) {
  const older = useQuery({ ...latestRunQuery(agent.id), enabled: recent === undefined });
  const run = recent ?? older.data;
  return (
    <li>
      <div className={classes.agent}>
        <TextLink
          to="/agents/$agentId"
          params={{ agentId: agent.id }}
          className={classes.oneLine}
          fw={550}
          title={agent.name}
        >
          {agent.name}
        </TextLink>
        {agent.status === "draft" && <ToneBadge tone="neutral">draft</ToneBadge>}
      </div>
      {run ? (
        <div className={classes.latest}>
          <RunOutcome run={run} />
          <div className={classes.latestRun}>
            <TextLink to="/runs/$runId" params={{ runId: run.id }} size="xs">
              run {run.id}
            </TextLink>
            <Ago at={run.created_at} />
          </div>
        </div>
      ) : (
        <div className={classes.latest}>{older.isPending ? "…" : "No runs yet"}</div>
      )}
    </li>
  );
}
