import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api, data } from "~/api/client";
import { type Agent, agentQuery } from "~/api/queries";
import { JsonView } from "~/components/json-view";
import { Page, Panel, TextLink } from "~/components/page";
import { PageTabs } from "~/components/page-tabs";
import { ErrorState, PageLoading } from "~/components/states";
import classes from "~/pages/agents/agents.module.css";
import { Actions } from "~/pages/agents/detail/actions";
import { ConnectionResult } from "~/pages/agents/detail/connection-test";
import { LatestRuns } from "~/pages/agents/detail/latest-runs";
import { LedgerTab } from "~/pages/agents/detail/ledger-tab";
import { Overview } from "~/pages/agents/detail/overview";
import { SettingsTab } from "~/pages/agents/detail/settings-tab";
import { ToolsTab } from "~/pages/agents/detail/tools-tab";
import { VersionsTab } from "~/pages/agents/detail/versions-tab";
import { VersionMarks } from "~/pages/agents/version-marks";

const route = getRouteApi("/app/agents/$agentId");

export function AgentPage() {
  const { agentId } = route.useParams();
  const { data: agent, error, refetch } = useQuery(agentQuery(agentId));
  if (agent) return <Loaded key={agentId} agent={agent} />;
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}

type Tab = NonNullable<ReturnType<typeof route.useSearch>["tab"]>;

function Loaded({ agent }: { agent: Agent }) {
  const { tab = "tools" } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () =>
      data(api.POST("/api/agents/{agent_id}/test-connection", { params: { path: { agent_id: agent.id } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["agents"] }),
  });
  const tabs: [Tab, string, ReactNode][] = [
    ["tools", `Tools (${agent.tools_schema.length})`, <ToolsTab key="tools" agent={agent} />],
    ["ledger", "Ledger schema", <LedgerTab key="ledger" agent={agent} />],
    ["versions", `Versions (${agent.version})`, <VersionsTab key="versions" agent={agent} />],
    ["settings", "Settings", <SettingsTab key="settings" agent={agent} />],
    [
      "raw",
      "Raw",
      <Panel key="raw" title="As the API gives it">
        <JsonView value={agent} name="the agent" />
      </Panel>,
    ],
  ];
  return (
    <Page
      title={agent.name}
      trail={[
        <TextLink key="agents" to="/agents">
          Agents
        </TextLink>,
      ]}
      marks={<VersionMarks agent={agent} />}
      actions={<Actions agent={agent} testing={test.isPending} onTest={() => test.mutate()} />}
      curl={[
        { what: "This agent", path: `/api/agents/${agent.id}` },
        { what: "Its versions", path: `/api/agents/${agent.id}/versions` },
        { what: "Test the connection", method: "POST", path: `/api/agents/${agent.id}/test-connection` },
        { what: "Its latest runs", path: `/api/runs?agent_id=${agent.id}&limit=5` },
      ]}
    >
      <ConnectionResult
        authHeader={authHeaderOf(agent)}
        where="under Edit"
        result={test.data}
        error={test.error}
        onClose={test.reset}
      />
      <div className={classes.top}>
        <Overview agent={agent} />
        <LatestRuns agentId={agent.id} />
      </div>
      <PageTabs
        tabs={tabs}
        value={tab}
        onChange={(next) =>
          void navigate({ search: next === "tools" ? {} : { tab: next }, resetScroll: false })
        }
      />
    </Page>
  );
}

function authHeaderOf({ auth_header_set, config }: Agent): string | null {
  return auth_header_set && typeof config.auth_header_name === "string" ? config.auth_header_name : null;
}
