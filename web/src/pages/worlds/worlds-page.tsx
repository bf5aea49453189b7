import { IconPlus, IconWorld } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type WorldSummary, worldsQuery } from "~/api/worlds";
import { size } from "~/components/counted";
import type { Column } from "~/components/data-table";
import { EntityCounts } from "~/components/entity-counts";
import { SearchedListPage } from "~/components/list/searched-list-page";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, TextLink } from "~/components/page";
import { ShareBar } from "~/components/share";
import { Empty } from "~/components/states";
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
  const list = useQuery({ ...worldsQuery, placeholderData: keepPreviousData });
  return (
    <SearchedListPage
      title="Worlds"
      noun="world"
      actions={mayChange && <NewWorldButton />}
      curl={[{ what: "List the worlds", path: "/api/worlds?limit=200" }]}
      list={list}
      columns={COLUMNS}
      q={q}
      sort={sort}
      onSearch={(change) =>
        void navigate({ search: (before) => compact({ ...before, ...change }), replace: true })
      }
      placeholder="Name or entity type"
      textsOf={({ name, entity_counts }) => [name, ...Object.keys(entity_counts)]}
      nothingFits="None of them has this text in its name or in the names of its entity types."
      empty={<NoWorlds mayChange={mayChange} />}
      onOpen={({ id }) => void navigate({ to: "/worlds/$worldId", params: { worldId: id } })}
    />
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
