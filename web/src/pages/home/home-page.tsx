import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { agentsQuery, sessionQuery } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import type { CurlRequest } from "~/components/curl";
import { Page } from "~/components/page";
import { ErrorState, RowsLoading } from "~/components/states";
import { Overview } from "~/pages/home/overview";
import { useLatestRuns } from "~/pages/home/use-latest-runs";

const FirstSteps = lazy(() => import("~/pages/home/first-steps"));

const REQUESTS: CurlRequest[] = [
  { what: "The latest runs", path: "/api/runs?limit=50" },
  { what: "Runs as they change", path: "/api/runs/events" },
  { what: "Agents", path: "/api/agents" },
  { what: "Evals in figures", path: "/api/v1/eval/summary" },
];

export function HomePage() {
  const agents = useQuery(agentsQuery);
  const [runs, live] = useLatestRuns();
  const { data: session } = useQuery(sessionQuery);
  const failed = [agents, runs].find((query) => query.isError && query.data === undefined);

  if (failed) {
    return (
      <Page title="Home" curl={REQUESTS}>
        <ErrorState error={failed.error} retry={() => void failed.refetch()} />
      </Page>
    );
  }
  if (!agents.data || !runs.data || !session) {
    return (
      <Page title="Home" curl={REQUESTS}>
        <RowsLoading rows={12} />
      </Page>
    );
  }
  if (runs.data.items.length === 0) {
    return (
      <Page title="Home" curl={REQUESTS}>
        <Suspense fallback={<RowsLoading rows={12} />}>
          <FirstSteps agents={agents.data} role={session.person.role} />
        </Suspense>
      </Page>
    );
  }
  return (
    <Page title="Home" curl={REQUESTS} marks={live === "reconnecting" && <Reconnecting />}>
      <Overview agents={agents.data} runs={runs.data.items} isAdmin={session.person.role === "admin"} />
    </Page>
  );
}

function Reconnecting() {
  return (
    <ToneBadge tone="amber" help="The connection that brings changes was lost; what you see may be old.">
      reconnecting
    </ToneBadge>
  );
}
