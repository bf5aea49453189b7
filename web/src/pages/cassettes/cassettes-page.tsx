import { IconDeviceAudioTape } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Cassette, cassettesQuery } from "~/api/cassettes";
import { type Agent, agentsQuery } from "~/api/queries";
import { size } from "~/components/counted";
import type { Column } from "~/components/data-table";
import { SearchedListPage } from "~/components/list/searched-list-page";
import { ButtonLink, TextLink } from "~/components/page";
import { Empty } from "~/components/states";
import { Ago } from "~/components/time";
import classes from "~/pages/cassettes/cassettes.module.css";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/cassettes");

function columnsOf(agents: Agent[]): Column<Cassette>[] {
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  const agentOf = (cassette: Cassette) => names.get(cassette.agent_id) ?? `agent ${cassette.agent_id}`;
  return [
    {
      id: "name",
      title: "Name",
      width: "34%",
      value: (cassette) => cassette.name.toLowerCase(),
      render: (cassette) => (
        <TextLink
          to="/cassettes/$cassetteId"
          params={{ cassetteId: cassette.id }}
          className={classes.name ?? ""}
          lineClamp={2}
          title={cassette.name}
        >
          {cassette.name}
        </TextLink>
      ),
    },
    {
      id: "interactions",
      title: "Calls",
      width: 70,
      align: "right",
      value: (cassette) => cassette.interactions,
      render: (cassette) => cassette.interactions.toLocaleString("en"),
    },
    {
      id: "size",
      title: "Size",
      width: 80,
      align: "right",
      wide: true,
      value: (cassette) => cassette.bytes,
      render: (cassette) => <span className={classes.nowrap}>{size(cassette.bytes)}</span>,
    },
    {
      id: "run",
      title: "Recorded from",
      width: 130,
      value: (cassette) => cassette.run_id,
      render: (cassette) => (
        <TextLink to="/runs/$runId" params={{ runId: cassette.run_id }}>
          Run {cassette.run_id}
        </TextLink>
      ),
    },
    {
      id: "agent",
      title: "Agent",
      wide: true,
      value: agentOf,
      render: (cassette) => (
        <TextLink to="/agents/$agentId" params={{ agentId: cassette.agent_id }} lineClamp={1}>
          {agentOf(cassette)}
        </TextLink>
      ),
    },
    {
      id: "created",
      title: "Recorded",
      width: 110,
      wide: true,
      value: (cassette) => Date.parse(cassette.created_at),
      render: (cassette) => (
        <span className={classes.nowrap}>
          <Ago at={cassette.created_at} />
        </span>
      ),
    },
  ];
}

export function CassettesPage() {
  const { q = "", sort } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: agents = [] } = useQuery(agentsQuery);
  const list = useQuery({ ...cassettesQuery, placeholderData: keepPreviousData });
  return (
    <SearchedListPage
      title="Cassettes"
      noun="cassette"
      curl={[{ what: "List the cassettes", path: "/api/cassettes?limit=200" }]}
      list={list}
      columns={columnsOf(agents)}
      q={q}
      sort={sort}
      onSearch={(change) =>
        void navigate({ search: (before) => compact({ ...before, ...change }), replace: true })
      }
      placeholder="Name"
      textsOf={({ name }) => [name]}
      nothingFits="None of them has this text in its name."
      empty={<NoCassettes />}
      onOpen={({ id }) => void navigate({ to: "/cassettes/$cassetteId", params: { cassetteId: id } })}
    />
  );
}

function NoCassettes() {
  return (
    <Empty
      icon={<IconDeviceAudioTape size={32} stroke={1.5} />}
      title="No cassettes yet"
      action={
        <ButtonLink to="/runs" variant="default">
          See the runs
        </ButtonLink>
      }
    >
      A cassette holds what the live tools answered in a run. Open a run with passthrough calls and record
      one; other runs replay it without the network, and it shows where a live tool answers differently by
      now.
    </Empty>
  );
}
