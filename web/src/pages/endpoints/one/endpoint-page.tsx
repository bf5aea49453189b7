import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Endpoint, endpointQuery } from "~/api/endpoints";
import type { CurlRequest } from "~/components/curl";
import { JsonView } from "~/components/json-view";
import { Page, Panel, TextLink } from "~/components/page";
import { PageTabs } from "~/components/page-tabs";
import { ErrorState, PageLoading } from "~/components/states";
import classes from "~/pages/endpoints/endpoints.module.css";
import { DiscoveryMarks } from "~/pages/endpoints/marks";
import { DriftBanner } from "~/pages/endpoints/one/drift-banner";
import { EndpointActions } from "~/pages/endpoints/one/endpoint-actions";
import { EndpointFacts } from "~/pages/endpoints/one/endpoint-facts";
import { exampleOf } from "~/pages/endpoints/one/example";
import { ToolsTab } from "~/pages/endpoints/one/tools-tab";
import { DiscoveryFailure, useDiscovery } from "~/pages/endpoints/one/use-discovery";
import { UsedBy } from "~/pages/endpoints/one/used-by";

const route = getRouteApi("/app/endpoints/$endpointId");

export function EndpointPage() {
  const { endpointId } = route.useParams();
  const { data: endpoint, error, refetch } = useQuery(endpointQuery(endpointId));
  if (endpoint) return <Loaded key={endpointId} endpoint={endpoint} />;
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}

type Tab = NonNullable<ReturnType<typeof route.useSearch>["tab"]> | "tools";

function Loaded({ endpoint }: { endpoint: Endpoint }) {
  const { tab = "tools" } = route.useSearch();
  const navigate = route.useNavigate();
  const discovery = useDiscovery(endpoint);
  const tabs: [Tab, string, ReactNode][] = [
    [
      "tools",
      `Tools (${endpoint.tool_count.toLocaleString("en")})`,
      <ToolsTab key="tools" endpoint={endpoint} />,
    ],
    ["used", `Used by (${endpoint.used_by.length})`, <UsedBy key="used" endpoint={endpoint} />],
    [
      "raw",
      "Raw",
      <Panel key="raw" title="As the API gives it">
        <JsonView value={endpoint} name="the endpoint" />
      </Panel>,
    ],
  ];

  function show(next: Tab) {
    void navigate({
      search: ({ tab: _, ...rest }) => (next === "tools" ? rest : { ...rest, tab: next }),
      resetScroll: false,
    });
  }

  return (
    <Page
      title={endpoint.name}
      trail={[
        <TextLink key="endpoints" to="/endpoints">
          Endpoints
        </TextLink>,
      ]}
      marks={<DiscoveryMarks endpoint={endpoint} />}
      actions={<EndpointActions endpoint={endpoint} discovery={discovery} />}
      curl={requests(endpoint)}
    >
      <EndpointFacts endpoint={endpoint} />
      {endpoint.description && <p className={classes.description}>{endpoint.description}</p>}
      <DiscoveryFailure endpoint={endpoint} discovery={discovery} />
      {endpoint.drift && <DriftBanner drift={endpoint.drift} />}
      <PageTabs tabs={tabs} value={tab} onChange={show} />
      {endpoint.notes.length > 0 && <Notes notes={endpoint.notes} />}
    </Page>
  );
}

function Notes({ notes }: { notes: string[] }) {
  return (
    <Panel title="Notes of the discovery">
      <Text size="xs" c="var(--ody-text-dim)" mb={4}>
        What could not be offered as a tool, or was read differently from how it is written.
      </Text>
      <ul className={classes.notes}>
        {[...new Set(notes)].map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Panel>
  );
}

function requests({ id, tools }: Endpoint): CurlRequest[] {
  const base = `/api/tool-endpoints/${id}`;
  const [tool] = tools;
  return [
    { what: "This endpoint", path: base },
    { what: "Discover its tools again", method: "POST", path: `${base}/discover` },
    {
      what: "Try a tool; it is really called",
      method: "POST",
      path: `${base}/call`,
      body: { tool_name: tool?.name ?? "…", arguments: tool ? exampleOf(tool.input_schema) : {} },
    },
  ];
}
