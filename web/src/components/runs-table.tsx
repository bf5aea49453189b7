import { useNavigate } from "@tanstack/react-router";
import type { RunSummary } from "~/api/queries";
import { StatusBadge, VerdictBadge } from "~/components/badges";
import { type Column, DataTable } from "~/components/data-table";
import { failureMode } from "~/components/failure-modes";
import { TextLink } from "~/components/page";
import classes from "~/components/runs-table.module.css";
import { Ago } from "~/components/time";

const AGENT = "agent";
const COLUMNS: Column<RunSummary>[] = [
  {
    id: "run",
    title: "Run",
    width: 56,
    render: (run) => (
      <TextLink to="/runs/$runId" params={{ runId: run.id }}>
        {run.id}
      </TextLink>
    ),
  },
  {
    id: "task",
    title: "Task",
    render: (run) => (
      <>
        <span className={classes.oneLine} title={run.user_instruction}>
          {run.user_instruction}
        </span>
        <span className={classes.below}>
          <RunOutcome run={run} />
        </span>
      </>
    ),
  },
  {
    id: AGENT,
    title: "Agent",
    wide: true,
    width: "18%",
    render: (run) => (
      <TextLink
        to="/agents/$agentId"
        params={{ agentId: run.agent_id }}
        className={classes.oneLine}
        title={run.agent_name}
      >
        {run.agent_name}
      </TextLink>
    ),
  },
  { id: "outcome", title: "Outcome", wide: true, width: 264, render: (run) => <RunOutcome run={run} /> },
  {
    id: "created",
    title: "Created",
    align: "right",
    wide: true,
    width: 110,
    render: (run) => <Ago at={run.created_at} />,
  },
];

const OF_ONE_AGENT = COLUMNS.filter((column) => column.id !== AGENT);

/** A few runs with their outcomes, for pages that are about something else. */
export function RunsTable({ runs, ofOneAgent = false }: { runs: RunSummary[]; ofOneAgent?: boolean }) {
  const navigate = useNavigate();
  return (
    <DataTable
      label="Latest runs"
      columns={ofOneAgent ? OF_ONE_AGENT : COLUMNS}
      rows={runs}
      rowKey={(run) => run.id}
      onOpen={(run) => void navigate({ to: "/runs/$runId", params: { runId: run.id } })}
    />
  );
}

/** How a run stands; the verdict where there is one. */
export function RunOutcome({ run }: { run: RunSummary }) {
  return (
    <span className={classes.outcome}>
      <StatusBadge status={run.status} />
      {(run.status === "completed" || run.status === "failed") && run.verdict !== "NOT APPLICABLE" && (
        <VerdictBadge verdict={run.verdict} />
      )}
      {run.error_class && <span className={classes.errorClass}>{run.error_class}</span>}
      {run.status === "completed" && run.failure_mode && (
        <span className={classes.errorClass}>{failureMode(run.failure_mode).words}</span>
      )}
    </span>
  );
}
