import { IconColumns2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { evalRunQuery } from "~/api/evals";
import { scenarioQuery } from "~/api/scenarios";
import { Comparison } from "~/components/comparison/comparison";
import { RiskBadge } from "~/components/evals/risk";
import { ButtonLink, Page, TextLink } from "~/components/page";
import { Empty, ErrorState, PageLoading } from "~/components/states";

const route = getRouteApi("/app/evals/compare");

/** A comparison by its address: of a scenario, of a cell, of two runs. */
export function ComparePage() {
  const { scenario_id, baseline, variation } = route.useSearch();
  const runId = variation ?? baseline;
  const named = useQuery({ ...evalRunQuery(runId ?? 0), enabled: runId !== undefined });
  if (named.error) return <ErrorState error={named.error} retry={() => void named.refetch()} />;
  if (named.isLoading) return <PageLoading />;
  const scenarioId = named.data?.scenario_id ?? scenario_id;
  return scenarioId === undefined ? <Nothing /> : <Scenario key={scenarioId} scenarioId={scenarioId} />;
}

function Scenario({ scenarioId }: { scenarioId: string }) {
  const { baseline, variation } = route.useSearch();
  const { data: scenario, error, refetch } = useQuery(scenarioQuery(scenarioId));
  if (error && !scenario) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!scenario) return <PageLoading />;
  return (
    <Page
      title={`${scenario.name}, side by side`}
      trail={[
        <TextLink key="scenarios" to="/scenarios">
          Scenarios
        </TextLink>,
        <TextLink key="scenario" to="/scenarios/$scenarioId" params={{ scenarioId }}>
          {scenario.name}
        </TextLink>,
      ]}
      marks={<RiskBadge level={scenario.risk_level} />}
      curl={[
        { what: "What it was run under", path: `/api/v1/eval/scenarios/${scenarioId}/cells` },
        {
          what: "One cell",
          path: `/api/v1/eval/compare?scenario_id=${scenarioId}&variation_type=time_pressure`,
        },
        ...[baseline, variation]
          .filter((id) => id !== undefined)
          .map((id) => ({ what: `Run ${id}`, path: `/api/v1/eval/runs/${id}` })),
      ]}
    >
      <Comparison scenarioId={scenarioId} />
    </Page>
  );
}

function Nothing() {
  return (
    <Page title="Side by side" curl={[{ what: "Eval runs", path: "/api/v1/eval/runs" }]}>
      <Empty
        icon={<IconColumns2 size={32} stroke={1.5} />}
        title="Compare what?"
        action={
          <ButtonLink to="/evals/runs" variant="default">
            Eval runs
          </ButtonLink>
        }
      >
        The address names no scenario and no run. Open an eval run, or a scenario, and go on from there.
      </Empty>
    </Page>
  );
}
