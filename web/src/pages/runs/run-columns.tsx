import { Group, Text, Tooltip } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { RunField, RunSummary } from "~/api/queries";
import { StatusBadge, ToneBadge, VerdictBadge } from "~/components/badges";
import type { Column } from "~/components/data-table";
import { errorClass } from "~/components/error-classes";
import { failureMode } from "~/components/failure-modes";
import { TextLink } from "~/components/page";
import { percent } from "~/components/share";
import { Ago, Elapsed } from "~/components/time";
import classes from "~/pages/runs/runs.module.css";

export const RUN_COLUMNS: Column<RunSummary, RunField>[] = [
  {
    id: "id",
    title: "Run",
    width: 64,
    field: "id",
    render: (run) => (
      <TextLink to="/runs/$runId" params={{ runId: run.id }} className={classes.number}>
        {run.id}
      </TextLink>
    ),
  },
  {
    id: "status",
    title: "Status",
    width: 120,
    field: "status",
    render: (run) => <Status run={run} />,
  },
  {
    id: "verdict",
    title: "Verdict",
    width: 96,
    wide: true,
    field: "verdict",
    render: (run) => <VerdictBadge verdict={run.verdict} running={isGoingOn(run)} />,
  },
  {
    id: "score",
    title: "Score",
    width: 64,
    wide: true,
    align: "right",
    field: "score",
    render: (run) => (
      <Text span inherit className={classes.quiet}>
        {run.score === null ? "" : percent(run.score)}
      </Text>
    ),
  },
  {
    id: "agent",
    title: "Agent",
    wide: true,
    render: (run) => <AgentOf run={run} />,
  },
  {
    id: "instruction",
    title: "Instruction",
    width: "100%",
    field: "user_instruction",
    render: (run) => (
      <div className={classes.clip}>
        <Text size="sm" truncate title={run.user_instruction}>
          {run.user_instruction}
        </Text>
        <Text size="xs" c="var(--ody-text-dim)" truncate hiddenFrom="sm">
          <Ago at={run.created_at} />
          {[gradedAs(run), whyNot(run), run.agent_name].map((part) => part !== null && `, ${part}`)}
        </Text>
      </div>
    ),
  },
  {
    id: "error",
    title: "Failure",
    wide: true,
    field: "failure_mode",
    render: (run) => <Failure run={run} />,
  },
  {
    id: "started",
    title: "Started",
    width: 96,
    wide: true,
    align: "right",
    field: "started_at",
    render: (run) => (
      <Text span inherit className={classes.quiet}>
        <Started run={run} />
      </Text>
    ),
  },
  {
    id: "duration",
    title: "Duration",
    width: 88,
    wide: true,
    align: "right",
    field: "duration",
    render: (run) => (
      <Text span inherit className={classes.quiet}>
        <Lasted run={run} />
      </Text>
    ),
  },
];

/** The agent was asked then; until that is known, its attempt began. */
function startOf(run: RunSummary): string | null {
  return run.started_at ?? run.attempts.at(-1)?.started_at ?? null;
}

function Started({ run }: { run: RunSummary }) {
  const start = startOf(run);
  if (start !== null) return <Ago at={start} />;
  return run.finished_at === null ? "waiting" : "never";
}

function Lasted({ run }: { run: RunSummary }) {
  const start = startOf(run);
  return start !== null && <Elapsed from={start} to={run.finished_at} />;
}

function Status({ run }: { run: RunSummary }) {
  const warnings = run.soft_warnings.join(", ");
  return (
    <Group gap={6} wrap="nowrap">
      <StatusBadge status={run.status} />
      {run.attempts.length > 1 && (
        <ToneBadge tone="neutral" help="Its owner was lost, so it began anew">
          {run.attempts.length} attempts
        </ToneBadge>
      )}
      {warnings && (
        <Tooltip label={`Soft warnings: ${warnings}`} multiline maw={320}>
          <IconAlertTriangle
            size={14}
            color="var(--band-amber)"
            role="img"
            aria-label={`Soft warnings: ${warnings}`}
          />
        </Tooltip>
      )}
    </Group>
  );
}

function AgentOf({ run }: { run: RunSummary }) {
  return (
    <div className={classes.agent} title={run.agent_name}>
      <TextLink to="/agents/$agentId" params={{ agentId: run.agent_id }} c="var(--ody-text)">
        {run.agent_name}
      </TextLink>
      <Text span size="xs" c="var(--ody-text-dim)">
        v{run.agent_version}
      </Text>
    </div>
  );
}

function isGoingOn({ status }: RunSummary): boolean {
  return status === "pending" || status === "running";
}

function gradedAs({ verdict }: RunSummary): string | null {
  return verdict === "PASS" || verdict === "FAIL" ? verdict.toLowerCase() : null;
}

/** Why it failed, or why it was no pass; of a run that failed, both are the same. */
function whyNot({ error_class, failure_mode }: RunSummary): string | null {
  if (error_class !== null) return error_class;
  return failure_mode === null ? null : failureMode(failure_mode).words;
}

function Failure({ run: { error_class, failure_mode, verdict } }: { run: RunSummary }) {
  if (error_class !== null) {
    const { tone, means } = errorClass(error_class);
    return (
      <ToneBadge tone={tone} help={means}>
        {error_class}
      </ToneBadge>
    );
  }
  if (failure_mode === null) return null;
  const { words, means } = failureMode(failure_mode);
  return (
    <ToneBadge tone={verdict === "FAIL" ? "red" : "amber"} help={means}>
      {words}
    </ToneBadge>
  );
}
