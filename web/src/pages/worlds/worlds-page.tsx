import { Button, Group, Text, TextInput } from "@mantine/core";
import { IconPlus, IconSearch, IconWorld } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type WorldSummary, worldsQuery } from "~/api/worlds";
import { counted, size } from "~/components/counted";
import { type Column, DataTable, sortFromText, sortToText } from "~/components/data-table";
import { EntityCounts } from "~/components/entity-counts";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, Page, Panel, TextLink } from "~/components/page";
import { ShareBar } from "~/components/share";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { Ago } from "~/components/time";
import { entitiesIn } from "~/pages/worlds/sizes";
import classes from "~/pages/worlds/worlds.module.css";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/worlds");

const COLUMNS: Column<WorldSummary>[] = [
  {
    id: "name",
    title: "Name",
    width: "28%",
    value: (world) => world.name.toLowerCase(),
    render: (world) => (
      <div className={classes.named}>
        <TextLink
          to="/worlds/$worldId"
          params={{ worldId: world.id }}
          className={classes.name ?? ""}
          lineClamp={2}
          title={world.name}
        >
          {world.name}
        </TextLink>
      </div>
    ),
  },
  {
    id: "entities",
    title: "Entities",
    value: (world) => entitiesIn(world.entity_counts),
    render: (world) => <EntityCounts counts={world.entity_counts} />,
  },
  {
    id: "size",
    title: "Size",
    width: 80,
    align: "right",
    wide: true,
    value: (world) => world.bytes,
    render: (world) => <span className={classes.nowrap}>{size(world.bytes)}</span>,
  },
  {
    id: "rules",
    title: "Rules",
    width: 70,
    align: "right",
    wide: true,
    value: (world) => world.rules,
    render: (world) => world.rules,
  },
  {
    id: "fidelity",
    title: "Fidelity",
    width: 130,
    wide: true,
    value: (world) => world.fidelity?.responses.share ?? null,
    render: (world) =>
      world.fidelity ? (
        <ShareBar of={world.fidelity.responses} what="Equal responses" />
      ) : (
        <span className={classes.dim}>not measured</span>
      ),
  },
  {
    id: "updated",
    title: "Updated",
    width: 110,
    wide: true,
    value: (world) => Date.parse(world.updated_at),
    render: (world) => (
      <span className={classes.nowrap}>
        <Ago at={world.updated_at} />
      </span>
    ),
  },
];

export function WorldsPage() {
  const { q = "", sort } = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useMayChange();
  const { data: worlds, error, refetch } = useQuery({ ...worldsQuery, placeholderData: keepPreviousData });
  const shown = (worlds ?? []).filter((world) => fits(world, q));

  function search(change: { q?: string | undefined; sort?: string | undefined }) {
    void navigate({ search: (before) => compact({ ...before, ...change }), replace: true });
  }

  return (
    <Page
      title="Worlds"
      actions={mayChange && <NewWorldButton />}
      curl={[{ what: "List the worlds", path: "/api/worlds?limit=200" }]}
    >
      <Panel flush>
        {worlds && worlds.length > 0 && (
          <Group p="xs" gap="xs" className={classes.filterBar}>
            <TextInput
              data-filter
              size="xs"
              aria-label="Filter worlds"
              placeholder="Name or entity type"
              leftSection={<IconSearch size={14} />}
              value={q}
              onChange={(event) => search({ q: event.currentTarget.value || undefined })}
              w={{ base: "100%", xs: 280 }}
            />
            <Text size="xs" c="var(--ody-text-dim)" ml="auto" role="status">
              {shown.length === worlds.length
                ? counted(worlds.length, "world")
                : `${shown.length} of ${worlds.length}`}
            </Text>
          </Group>
        )}
        {worlds === undefined ? (
          error ? (
            <ErrorState error={error} retry={() => void refetch()} />
          ) : (
            <RowsLoading />
          )
        ) : worlds.length === 0 ? (
          <NoWorlds mayChange={mayChange} />
        ) : shown.length === 0 ? (
          <Empty
            title="No world fits"
            action={
              <Button variant="default" onClick={() => search({ q: undefined })}>
                Show all {worlds.length}
              </Button>
            }
          >
            None of them has this text in its name or in the names of its entity types.
          </Empty>
        ) : (
          <DataTable
            label="Worlds"
            columns={COLUMNS}
            rows={shown}
            rowKey={(world) => world.id}
            sort={sortFromText(sort)}
            onSort={(next) => search({ sort: sortToText(next) })}
            onOpen={(world) => void navigate({ to: "/worlds/$worldId", params: { worldId: world.id } })}
          />
        )}
      </Panel>
    </Page>
  );
}

function fits(world: WorldSummary, q: string): boolean {
  const sought = q.trim().toLowerCase();
  return [world.name, ...Object.keys(world.entity_counts)].some((text) =>
    text.toLowerCase().includes(sought),
  );
}

function NewWorldButton() {
  return (
    <ButtonLink to="/worlds/new" leftSection={<IconPlus size={15} />}>
      New world
    </ButtonLink>
  );
}

function NoWorlds({ mayChange }: { mayChange: boolean }) {
  return (
    <Empty
      icon={<IconWorld size={32} stroke={1.5} />}
      title="No worlds yet"
      action={mayChange ? <NewWorldButton /> : "Ask a member of your organisation to make one."}
    >
      A world is what the simulated back end holds when a run begins: entities by type and id, the failure
      rules and the behaviour that go with them. Keep one here and any number of runs can begin from it; try
      an agent’s tools on it before you run anything.
    </Empty>
  );
}
