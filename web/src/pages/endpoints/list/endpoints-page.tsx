import { Group, Text } from "@mantine/core";
import { IconPlugConnected, IconPlus } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type EndpointSummary, endpointsQuery } from "~/api/endpoints";
import type { Column } from "~/components/data-table";
import { TYPES } from "~/components/endpoint-type";
import { SearchedListPage } from "~/components/list/searched-list-page";
import { useIsAdmin } from "~/components/may-change";
import { ButtonLink, TextLink } from "~/components/page";
import { Empty } from "~/components/states";
import { Ago } from "~/components/time";
import classes from "~/pages/endpoints/endpoints.module.css";
import { DiscoveryMarks } from "~/pages/endpoints/marks";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/endpoints");

const addressOf = ({ base_url, config }: EndpointSummary) => base_url ?? config.url ?? config.base_url ?? "";

const COLUMNS: Column<EndpointSummary>[] = [
  {
    id: "name",
    title: "Name",
    width: "30%",
    value: (endpoint) => endpoint.name.toLowerCase(),
    render: (endpoint) => (
      <div className={classes.named}>
        <TextLink
          to="/endpoints/$endpointId"
          params={{ endpointId: endpoint.id }}
          className={classes.name ?? ""}
          lineClamp={2}
          title={endpoint.name}
        >
          {endpoint.name}
        </TextLink>
        <Text size="xs" c="var(--ody-text-dim)" lineClamp={1} title={endpoint.description}>
          {endpoint.description}
        </Text>
        <span className={classes.below}>
          <DiscoveryMarks endpoint={endpoint} />
        </span>
      </div>
    ),
  },
  {
    id: "type",
    title: "Type",
    width: 100,
    value: (endpoint) => TYPES[endpoint.type].name,
    render: (endpoint) => <span className={classes.nowrap}>{TYPES[endpoint.type].name}</span>,
  },
  {
    id: "address",
    title: "Address",
    wide: true,
    value: (endpoint) => addressOf(endpoint) || null,
    render: (endpoint) => (
      <span className={`${classes.mono} ${classes.oneLine}`} title={addressOf(endpoint)}>
        {addressOf(endpoint)}
      </span>
    ),
  },
  {
    id: "tools",
    title: "Tools",
    width: 70,
    align: "right",
    value: (endpoint) => endpoint.tool_count,
    render: (endpoint) => endpoint.tool_count.toLocaleString("en"),
  },
  {
    id: "discovery",
    title: "Discovery",
    width: 150,
    wide: true,
    value: (endpoint) => (endpoint.discovered_at === null ? null : Date.parse(endpoint.discovered_at)),
    render: (endpoint) => (
      <Group gap={6}>
        <DiscoveryMarks endpoint={endpoint} />
        {endpoint.discovered_at !== null && (
          <Text span size="xs" c="var(--ody-text-dim)">
            <Ago at={endpoint.discovered_at} />
          </Text>
        )}
      </Group>
    ),
  },
  {
    id: "used",
    title: "Used by",
    width: "16%",
    wide: true,
    value: (endpoint) => endpoint.used_by.length,
    render: (endpoint) => <Users endpoint={endpoint} />,
  },
];

const USERS_SHOWN = 2;

function Users({ endpoint: { used_by: users } }: { endpoint: EndpointSummary }) {
  if (users.length === 0) return <span className={classes.dim}>no agent</span>;
  return (
    <>
      {users.slice(0, USERS_SHOWN).map(({ agent_id, agent_name }) => (
        <TextLink
          key={agent_id}
          to="/agents/$agentId"
          params={{ agentId: agent_id }}
          className={classes.oneLine}
          title={agent_name}
        >
          {agent_name}
        </TextLink>
      ))}
      {users.length > USERS_SHOWN && (
        <span className={classes.dim}>and {users.length - USERS_SHOWN} more</span>
      )}
    </>
  );
}

export function EndpointsPage() {
  const { q = "", sort } = route.useSearch();
  const navigate = route.useNavigate();
  const isAdmin = useIsAdmin();
  const list = useQuery({ ...endpointsQuery, placeholderData: keepPreviousData });
  return (
    <SearchedListPage
      title="Endpoints"
      noun="endpoint"
      actions={isAdmin && <NewEndpointButton />}
      curl={[{ what: "List the endpoints", path: "/api/tool-endpoints?limit=200" }]}
      list={list}
      columns={COLUMNS}
      q={q}
      sort={sort}
      onSearch={(change) =>
        void navigate({ search: (before) => compact({ ...before, ...change }), replace: true })
      }
      placeholder="Name, description, address or agent"
      textsOf={textsOf}
      nothingFits="None of them has this text in its name, description, address or agents."
      empty={<NoEndpoints isAdmin={isAdmin} />}
      onOpen={({ id }) => void navigate({ to: "/endpoints/$endpointId", params: { endpointId: id } })}
    />
  );
}

function textsOf(endpoint: EndpointSummary): string[] {
  return [
    endpoint.name,
    endpoint.description,
    TYPES[endpoint.type].name,
    addressOf(endpoint),
    ...endpoint.used_by.map(({ agent_name }) => agent_name),
  ];
}

function NewEndpointButton() {
  return (
    <ButtonLink to="/endpoints/new" leftSection={<IconPlus size={15} />}>
      New endpoint
    </ButtonLink>
  );
}

function NoEndpoints({ isAdmin }: { isAdmin: boolean }) {
  return (
    <Empty
      icon={<IconPlugConnected size={32} stroke={1.5} />}
      title="No endpoints yet"
      action={isAdmin ? <NewEndpointButton /> : "Ask an admin of your organisation to register one."}
    >
      An endpoint is a live service whose tools agents may call through Odyssey: an MCP server, or an API with
      an OpenAPI document. Its tools are discovered, and a tool of an agent is switched to one of them without
      a change to the agent; the simulated world answers all the others.
    </Empty>
  );
}
