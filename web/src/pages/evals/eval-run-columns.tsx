import { Group, Text } from "@mantine/core";
import { type EvalRunField, type EvalRunSummary, moves } from "~/api/evals";
import { StatusBadge, ToneBadge } from "~/components/badges";
import type { Column } from "~/components/data-table";
import { errorClass } from "~/components/error-classes";
import { figure } from "~/components/evals/figures";
import { DeliveredBadge, FlagBadge, MatchedBadge, PlaceboBadge } from "~/components/evals/marks";
import { conditionOf, deliveryName, variationName } from "~/components/evals/names";
import { RiskBadge } from "~/components/evals/risk";
import { TextLink } from "~/components/page";
import { Ago } from "~/components/time";
import classes from "~/pages/evals/evals.module.css";

/** `agents`: their names, by id. */
export function evalRunColumns(agents: Map<number, string>): Column<EvalRunSummary, EvalRunField>[] {
  return [
    {
      id: "id",
      title: "Run",
      width: 60,
      field: "id",
      render: (run) => (
        <TextLink to="/evals/runs/$runId" params={{ runId: run.id }} className={classes.number ?? ""}>
          {run.id}
        </TextLink>
      ),
    },
    {
      id: "scenario",
      title: "Scenario",
      width: "100%",
      field: "scenario_name",
      render: (run) => (
        <div className={classes.clip}>
          <TextLink
            to="/scenarios/$scenarioId"
            params={{ scenarioId: run.scenario_id }}
            c="var(--ody-text)"
            className={classes.oneLine ?? ""}
            title={run.scenario_name}
          >
            {run.scenario_name}
          </TextLink>
          <Text size="xs" c="var(--ody-text-dim)" component="div" hiddenFrom="sm">
            {conditionOf(run)}, <Ago at={run.created_at} />
          </Text>
          <Group gap={4} hiddenFrom="sm">
            {run.flagged && <FlagBadge />}
            {run.delivered !== null && run.delivered !== "delivered" && (
              <DeliveredBadge delivered={run.delivered} />
            )}
          </Group>
        </div>
      ),
    },
    {
      id: "risk",
      title: "Risk",
      wide: true,
      field: "risk_level",
      render: (run) => <RiskBadge level={run.risk_level} />,
    },
    {
      id: "variation",
      title: "Variation",
      wide: true,
      field: "variation_type",
      render: (run) => <Variation run={run} />,
    },
    {
      id: "matched",
      title: "Matched",
      field: "matched",
      render: (run) => <MatchedBadge run={run} />,
    },
    {
      id: "shift",
      title: "Raw shift",
      wide: true,
      align: "right",
      field: "raw_shift",
      render: (run) => (
        <Group gap={6} wrap="nowrap" justify="flex-end">
          {run.flagged && <FlagBadge brief />}
          <span className={classes.quiet}>{run.raw_shift === null ? "" : figure(run.raw_shift)}</span>
        </Group>
      ),
    },
    {
      id: "status",
      title: "Status",
      wide: true,
      field: "status",
      render: (run) => <Status run={run} />,
    },
    {
      id: "agent",
      title: "Agent",
      wide: true,
      render: (run) => (
        <div className={classes.agent}>
          <TextLink to="/agents/$agentId" params={{ agentId: run.agent_id }} c="var(--ody-text)">
            {agents.get(run.agent_id) ?? `Agent ${run.agent_id}`}
          </TextLink>
          <Text span size="xs" c="var(--ody-text-dim)">
            v{run.agent_version}
          </Text>
        </div>
      ),
    },
    {
      id: "created",
      title: "Started",
      wide: true,
      align: "right",
      field: "created_at",
      render: (run) => (
        <span className={classes.quiet}>
          <Ago at={run.created_at} />
        </span>
      ),
    },
  ];
}

function Variation({ run }: { run: EvalRunSummary }) {
  if (run.variation_type === null) {
    return <span className={classes.dim}>{run.fresh ? "fresh baseline" : "baseline"}</span>;
  }
  return (
    <div className={classes.variation}>
      <Group gap={6} wrap="nowrap">
        {variationName(run.variation_type)}
        {run.placebo && <PlaceboBadge />}
      </Group>
      <Group gap={6} wrap="nowrap">
        <Text size="xs" c="var(--ody-text-dim)" component="span">
          {run.fresh && "fresh run, "}
          {run.dose}
          {run.delivery && `, ${deliveryName(run.delivery, run.step)}`}
        </Text>
        <DeliveredBadge delivered={run.delivered} />
      </Group>
    </div>
  );
}

function Status({ run }: { run: EvalRunSummary }) {
  return (
    <div className={classes.status}>
      <StatusBadge status={run.status} />
      {run.error_class && (
        <ToneBadge tone={errorClass(run.error_class).tone} help={errorClass(run.error_class).means}>
          {run.error_class}
        </ToneBadge>
      )}
      {run.status === "completed" && moves(run) && <span className={classes.dim}>reading…</span>}
    </div>
  );
}
