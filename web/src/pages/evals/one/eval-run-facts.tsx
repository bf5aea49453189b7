import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { EvalRun } from "~/api/evals";
import { agentsQuery } from "~/api/queries";
import { Copy } from "~/components/copy";
import { deliveryName } from "~/components/evals/names";
import { RiskBadge } from "~/components/evals/risk";
import { Fact, Facts } from "~/components/facts";
import { TextLink } from "~/components/page";
import { Ago } from "~/components/time";

export function EvalRunFacts({ run }: { run: EvalRun }) {
  const { data: agents } = useQuery(agentsQuery);
  const agent = agents?.find(({ id }) => id === run.agent_id)?.name ?? `Agent ${run.agent_id}`;
  return (
    <Facts label="About this eval run">
      <Fact label="Scenario">
        <TextLink to="/scenarios/$scenarioId" params={{ scenarioId: run.scenario_id }}>
          {run.scenario_name}
        </TextLink>{" "}
        <Dim>v{run.scenario_version}</Dim>
      </Fact>
      <Fact label="Risk">
        <RiskBadge level={run.risk_level} />
      </Fact>
      <Fact label="Agent">
        <TextLink to="/agents/$agentId" params={{ agentId: run.agent_id }}>
          {agent}
        </TextLink>{" "}
        <Dim>v{run.agent_version}</Dim>
      </Fact>
      {run.delivery !== null && <Fact label="Delivery">{deliveryName(run.delivery, run.step)}</Fact>}
      {run.paraphrase !== null && <Fact label="Wording">{run.paraphrase + 1}</Fact>}
      <Fact label="Repeat">
        {run.repeat} {run.fresh && <Dim>a fresh run, compared with fresh baselines alone</Dim>}
      </Fact>
      {run.replaces !== null && (
        <Fact label="Stands in for">
          <TextLink to="/evals/runs/$runId" params={{ runId: run.replaces }}>
            run {run.replaces}
          </TextLink>
        </Fact>
      )}
      <Fact label="Random seed">
        {String(run.random_seed)}
        <Copy value={String(run.random_seed)} what="random seed" />
      </Fact>
      {run.matrix_id !== null && (
        <Fact label="Matrix">
          <TextLink to="/matrices/$matrixId" params={{ matrixId: run.matrix_id }}>
            {run.matrix_id.slice(0, 8)}
          </TextLink>
        </Fact>
      )}
      <Fact label="Created">
        <Ago at={run.created_at} />
      </Fact>
    </Facts>
  );
}

function Dim({ children }: { children: React.ReactNode }) {
  return (
    <Text span size="sm" c="var(--ody-text-dim)">
      {children}
    </Text>
  );
}
