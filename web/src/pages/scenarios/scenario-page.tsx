import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import { exportPath, type Scenario, scenarioQuery } from "~/api/scenarios";
import { RiskBadge } from "~/components/evals/risk";
import { Page, TextLink } from "~/components/page";
import { PageTabs } from "~/components/page-tabs";
import { ErrorState, PageLoading } from "~/components/states";
import { Overview } from "~/pages/scenarios/detail/overview";
import { RunsTab } from "~/pages/scenarios/detail/runs-tab";
import { ScenarioActions } from "~/pages/scenarios/detail/scenario-actions";
import { ScenarioFacts } from "~/pages/scenarios/detail/scenario-facts";
import { VersionsTab } from "~/pages/scenarios/detail/versions-tab";

const Comparison = lazy(() =>
  import("~/components/comparison/comparison").then((module) => ({ default: module.Comparison })),
);

const route = getRouteApi("/app/scenarios/$scenarioId");

export function ScenarioPage() {
  const { scenarioId } = route.useParams();
  const { data: scenario, error, refetch } = useQuery(scenarioQuery(scenarioId));
  if (scenario) return <Loaded key={scenarioId} scenario={scenario} />;
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}

type Tab = NonNullable<ReturnType<typeof route.useSearch>["tab"]> | "scenario";

function Loaded({ scenario }: { scenario: Scenario }) {
  const { tab = "scenario" } = route.useSearch();
  const navigate = route.useNavigate();
  const tabs: [Tab, string, ReactNode][] = [
    ["scenario", "Scenario", <Overview key="scenario" scenario={scenario} />],
    [
      "compare",
      "Side by side",
      <Suspense key="compare" fallback={<PageLoading />}>
        <Comparison scenarioId={scenario.id} />
      </Suspense>,
    ],
    ["runs", "Runs", <RunsTab key="runs" scenario={scenario} />],
    ["versions", `Versions (${scenario.version})`, <VersionsTab key="versions" scenario={scenario} />],
  ];

  function show(next: Tab) {
    void navigate({
      search: next === "scenario" ? {} : { tab: next },
      resetScroll: false,
    });
  }

  return (
    <Page
      title={scenario.name}
      trail={[
        <TextLink key="scenarios" to="/scenarios">
          Scenarios
        </TextLink>,
      ]}
      marks={<RiskBadge level={scenario.risk_level} />}
      actions={<ScenarioActions scenario={scenario} />}
      curl={requests(scenario)}
    >
      <ScenarioFacts scenario={scenario} />
      <PageTabs tabs={tabs} value={tab} onChange={show} />
    </Page>
  );
}

function requests({ id }: Scenario) {
  const runs = "/api/v1/eval/runs";
  return [
    { what: "This scenario", path: `/api/v1/eval/scenarios/${id}` },
    { what: "It as a file", path: exportPath("yaml", { ids: [id] }) },
    {
      what: "Four baselines",
      method: "POST" as const,
      path: runs,
      body: { scenario_id: id, repeats: 4 },
    },
    {
      what: "Four runs under time pressure",
      method: "POST" as const,
      path: runs,
      body: { scenario_id: id, variation_type: "time_pressure", dose: "medium", repeats: 4 },
    },
    { what: "Its runs", path: `${runs}?scenario_id=${id}` },
  ];
}
