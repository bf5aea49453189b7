import { Button, Group, Text, TextInput } from "@mantine/core";
import { IconDeviceAudioTape, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Cassette, cassettesQuery } from "~/api/cassettes";
import { type Agent, agentsQuery } from "~/api/queries";
import { counted, size } from "~/components/counted";
import { type Column, DataTable, sortFromText, sortToText } from "~/components/data-table";
import { ButtonLink, Page, Panel, TextLink } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
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
  const {
    data: cassettes,
    error,
    refetch,
  } = useQuery({ ...cassettesQuery, placeholderData: keepPreviousData });
  const sought = q.trim().toLowerCase();
  const shown = (cassettes ?? []).filter(({ name }) => name.toLowerCase().includes(sought));

  function search(change: { q?: string | undefined; sort?: string | undefined }) {
    void navigate({ search: (before) => compact({ ...before, ...change }), replace: true });
  }

  return (
    <Page title="Cassettes" curl={[{ what: "List the cassettes", path: "/api/cassettes?limit=200" }]}>
      <Panel flush>
        {cassettes && cassettes.length > 0 && (
          <Group p="xs" gap="xs" className={classes.filterBar}>
            <TextInput
              data-filter
              size="xs"
              aria-label="Filter cassettes"
              placeholder="Name"
              leftSection={<IconSearch size={14} />}
              value={q}
              onChange={(event) => search({ q: event.currentTarget.value || undefined })}
              w={{ base: "100%", xs: 280 }}
            />
            <Text size="xs" c="var(--ody-text-dim)" ml="auto" role="status">
              {shown.length === cassettes.length
                ? counted(cassettes.length, "cassette")
                : `${shown.length} of ${cassettes.length}`}
            </Text>
          </Group>
        )}
        {cassettes === undefined ? (
          error ? (
            <ErrorState error={error} retry={() => void refetch()} />
          ) : (
            <RowsLoading />
          )
        ) : cassettes.length === 0 ? (
          <NoCassettes />
        ) : shown.length === 0 ? (
          <Empty
            title="No cassette fits"
            action={
              <Button variant="default" onClick={() => search({ q: undefined })}>
                Show all {cassettes.length}
              </Button>
            }
          >
            None of them has this text in its name.
          </Empty>
        ) : (
          <DataTable
            label="Cassettes"
            columns={columnsOf(agents)}
            rows={shown}
            rowKey={(cassette) => cassette.id}
            sort={sortFromText(sort)}
            onSort={(next) => search({ sort: sortToText(next) })}
            onOpen={(cassette) =>
              void navigate({ to: "/cassettes/$cassetteId", params: { cassetteId: cassette.id } })
            }
          />
        )}
      </Panel>
    </Page>
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
