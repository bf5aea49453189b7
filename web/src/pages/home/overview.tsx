import type { Agent, RunSummary } from "~/api/queries";
import { Panel, TextLink } from "~/components/page";
import { RunsTable } from "~/components/runs-table";
import { Empty } from "~/components/states";
import { AgentOutcomes } from "~/pages/home/agent-outcomes";
import { EvalSummary } from "~/pages/home/eval-summary";
import classes from "~/pages/home/home.module.css";
import { OutcomeCounts } from "~/pages/home/outcome-counts";
import { OutcomeStrip } from "~/pages/home/outcome-strip";

const RUNS_LISTED = 12;
const AGENTS_LISTED = 8;

interface OverviewProps {
  agents: Agent[];
  runs: RunSummary[];
  isAdmin: boolean;
}

export function Overview({ agents, runs, isAdmin }: OverviewProps) {
  const listed = agents.toSorted((a, b) => lastRun(runs, b) - lastRun(runs, a)).slice(0, AGENTS_LISTED);
  return (
    <div className={classes.overview}>
      <Panel
        title={runs.length === 1 ? "One run so far" : `Outcomes of the last ${runs.length} runs`}
        style={{ gridColumn: "1 / -1" }}
      >
        <div className={classes.outcomes}>
          <OutcomeStrip runs={runs} />
          <OutcomeCounts runs={runs} />
        </div>
      </Panel>
      <EvalSummary />
      <Panel title="Latest runs" flush tools={<TextLink to="/runs">All runs</TextLink>}>
        <RunsTable runs={runs.slice(0, RUNS_LISTED)} />
      </Panel>
      <Panel
        title="Agents"
        flush
        tools={
          <TextLink to="/agents">
            {agents.length > AGENTS_LISTED ? `All ${agents.length} agents` : "All agents"}
          </TextLink>
        }
      >
        {agents.length === 0 ? (
          <Empty
            title="No agents"
            action={isAdmin && <TextLink to="/agents/new">Register an agent</TextLink>}
          >
            The agents of these runs were deleted.
          </Empty>
        ) : (
          <AgentOutcomes agents={listed} runs={runs} />
        )}
      </Panel>
    </div>
  );
}

function lastRun(runs: RunSummary[], agent: Agent): number {
  return runs.find((run) => run.agent_id === agent.id)?.id ?? 0;
}
