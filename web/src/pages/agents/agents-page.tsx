import { Code, SegmentedControl, Text } from "@mantine/core";
import { IconPlus, IconRobot } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Agent, agentsQuery } from "~/api/queries";
import type { Column } from "~/components/data-table";
import { SearchedListPage } from "~/components/list/searched-list-page";
import { useIsAdmin } from "~/components/may-change";
import { ButtonLink, TextLink } from "~/components/page";
import { Empty } from "~/components/states";
import { Ago } from "~/components/time";
import classes from "~/pages/agents/agents.module.css";
import { Health } from "~/pages/agents/health";
import { VersionMarks } from "~/pages/agents/version-marks";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/agents");

const addressOf = (agent: Agent) => String(agent.config.endpoint_url ?? "");

const COLUMNS: Column<Agent>[] = [
  {
    id: "name",
    title: "Name",
    width: "36%",
    value: (agent) => agent.name.toLowerCase(),
    render: (agent) => (
      <div className={classes.named}>
        <TextLink
          to="/agents/$agentId"
          params={{ agentId: agent.id }}
          className={classes.name ?? ""}
          lineClamp={2}
          title={agent.name}
        >
          {agent.name}
        </TextLink>
        <Text size="xs" c="var(--ody-text-dim)" lineClamp={1} title={agent.description}>
          {agent.description}
        </Text>
      </div>
    ),
  },
  {
    id: "status",
    title: "Status",
    value: (agent) => `${agent.status} ${agent.published_version === agent.version ? 0 : 1}`,
    render: (agent) => <VersionMarks agent={agent} />,
  },
  {
    id: "health",
    title: "Last ping",
    width: 100,
    wide: true,
    value: (agent) => (agent.health === null ? null : Number(!agent.health.ok)),
    render: (agent) => <Health agent={agent} />,
  },
  {
    id: "mode",
    title: "Mode",
    width: 70,
    wide: true,
    value: (agent) => agent.mode,
    render: (agent) => agent.mode,
  },
  {
    id: "address",
    title: "Address",
    wide: true,
    value: (agent) => addressOf(agent) || null,
    render: (agent) => (
      <span className={`${classes.mono} ${classes.oneLine}`} title={addressOf(agent)}>
        {addressOf(agent)}
      </span>
    ),
  },
  {
    id: "tools",
    title: "Tools",
    width: 70,
    align: "right",
    wide: true,
    value: (agent) => agent.tools_schema.length,
    render: (agent) => agent.tools_schema.length,
  },
  {
    id: "updated",
    title: "Updated",
    width: 110,
    wide: true,
    value: (agent) => Date.parse(agent.updated_at),
    render: (agent) => (
      <span className={classes.nowrap}>
        <Ago at={agent.updated_at} />
      </span>
    ),
  },
];

export function AgentsPage() {
  const { q = "", status, sort } = route.useSearch();
  const navigate = route.useNavigate();
  const isAdmin = useIsAdmin();
  const search = (change: {
    q?: string | undefined;
    status?: Agent["status"] | undefined;
    sort?: string | undefined;
  }) => void navigate({ search: (before) => compact({ ...before, ...change }), replace: true });
  const list = useQuery({ ...agentsQuery, placeholderData: keepPreviousData });
  return (
    <SearchedListPage
      title="Agents"
      noun="agent"
      actions={isAdmin && <RegisterButton />}
      curl={[{ what: "List the agents", path: "/api/agents?limit=200" }]}
      list={list}
      columns={COLUMNS}
      q={q}
      sort={sort}
      onSearch={search}
      placeholder="Name, description, address or tool"
      textsOf={textsOf}
      filter={
        <SegmentedControl
          size="xs"
          aria-label="Status"
          data={["all", "published", "draft"]}
          value={status ?? "all"}
          onChange={(choice) =>
            search({ status: choice === "all" ? undefined : (choice as Agent["status"]) })
          }
        />
      }
      passes={(agent) => status === undefined || agent.status === status}
      onShowAll={() => search({ q: undefined, status: undefined })}
      nothingFits={`None of them has this text in its name, description, address or tools${
        status ? ` and is ${status}` : ""
      }.`}
      empty={<NoAgents isAdmin={isAdmin} />}
      onOpen={({ id }) => void navigate({ to: "/agents/$agentId", params: { agentId: id } })}
    />
  );
}

function textsOf(agent: Agent): string[] {
  return [
    agent.name,
    agent.description,
    addressOf(agent),
    ...agent.tools_schema.map((tool) => String(tool.name)),
  ];
}

function RegisterButton() {
  return (
    <ButtonLink to="/agents/new" leftSection={<IconPlus size={15} />}>
      Register an agent
    </ButtonLink>
  );
}

function NoAgents({ isAdmin }: { isAdmin: boolean }) {
  return (
    <Empty
      icon={<IconRobot size={32} />}
      title="No agents yet"
      action={isAdmin ? <RegisterButton /> : "Ask an admin of your organisation to register one."}
    >
      To Odyssey an agent is an HTTP endpoint that takes a task and answers, and the list of tools it calls on
      the way. Odyssey sends it tasks, plays the tools, and records every call. To see one at work first, run{" "}
      <Code>make demo</Code> in the repository: it brings a support desk with seven tools and eight tasks.
    </Empty>
  );
}
