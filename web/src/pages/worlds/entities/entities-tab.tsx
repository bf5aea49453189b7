import { Button, Group, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconPlus, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ENTITIES_PER_PAGE, type Entity, entitiesQuery, type Fields, type World } from "~/api/worlds";
import { counted } from "~/components/counted";
import { DataTable } from "~/components/data-table";
import { ListRows } from "~/components/list/list-page";
import { ListFooter } from "~/components/list/page-turns";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, Panel } from "~/components/page";
import { Empty } from "~/components/states";
import { entityColumns } from "~/pages/worlds/entities/columns";
import { withEdits } from "~/pages/worlds/entities/edits";
import { EditsBar } from "~/pages/worlds/entities/edits-bar";
import classes from "~/pages/worlds/entities/entities.module.css";
import { EntityPane } from "~/pages/worlds/entities/entity-pane";
import { NewEntity } from "~/pages/worlds/entities/new-entity";
import { TypeList, typesOf } from "~/pages/worlds/entities/type-list";
import type { Edits } from "~/pages/worlds/entities/use-edits";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/worlds/$worldId");
const COLUMNS_BESIDE_PANE = 3;
const TYPING_MS = 250;

export interface Draft {
  type: string;
  fields: Fields | null;
}

/** Types on the left, the entities of one in a table, one entity beside it. */
export function EntitiesTab({ world, edits }: { world: World; edits: Edits }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useMayChange();
  const [adding, setAdding] = useState<Draft | null>(null);
  const types = typesOf(world.entity_counts, edits.list);
  const type = search.type ?? types[0]?.name;

  function go(
    change: Partial<Record<"type" | "q" | "cursor" | "entity", string | undefined>>,
    replace = false,
  ) {
    setAdding(null);
    void navigate({ search: (before) => compact({ ...before, ...change }), replace, resetScroll: false });
  }

  if (type === undefined) {
    return adding ? (
      <NewEntity world={world} edits={edits} draft={adding} onClose={() => setAdding(null)} onAdded={go} />
    ) : (
      <Panel>
        <Empty
          title="An empty world"
          action={
            mayChange && (
              <>
                <Button
                  leftSection={<IconPlus size={14} />}
                  onClick={() => setAdding({ type: "", fields: null })}
                >
                  Add an entity
                </Button>
                <ButtonLink
                  to="."
                  search={(before) => ({ ...before, tab: "import" as const })}
                  variant="default"
                >
                  Import CSV or JSON
                </ButtonLink>
              </>
            )
          }
        >
          It holds no entities: tools find nothing in it, and what they create is all there is.
        </Empty>
      </Panel>
    );
  }
  const pane = adding !== null || search.entity !== undefined;
  return (
    <>
      <div className={classes.split} data-pane={pane || undefined}>
        <TypeList
          types={types}
          chosen={type}
          onChoose={(next) => go({ type: next, q: undefined, cursor: undefined, entity: undefined })}
        />
        <EntityTable
          key={type}
          world={world}
          type={type}
          edits={edits}
          narrow={pane}
          onAdd={mayChange ? (fields) => setAdding({ type, fields }) : null}
          go={go}
        />
        {adding ? (
          <NewEntity
            world={world}
            edits={edits}
            draft={adding}
            onClose={() => setAdding(null)}
            onAdded={go}
          />
        ) : (
          search.entity !== undefined && (
            <EntityPane
              key={`${type} ${search.entity} ${edits.version}`}
              world={world}
              type={type}
              id={search.entity}
              edits={edits}
              mayChange={mayChange}
              onDuplicate={(fields) => setAdding({ type, fields })}
              onClose={() => go({ entity: undefined })}
            />
          )
        )}
      </div>
      <EditsBar edits={edits} onShow={(edit) => go({ type: edit.entity_type, entity: edit.id })} />
    </>
  );
}

interface EntityTableProps {
  world: World;
  type: string;
  edits: Edits;
  narrow: boolean;
  /** Null for those who may not. */
  onAdd: ((fields: Fields | null) => void) | null;
  go: (
    change: { q?: string | undefined; cursor?: string | undefined; entity?: string },
    replace?: boolean,
  ) => void;
}

function EntityTable({ world, type, edits, narrow, onAdd, go }: EntityTableProps) {
  const { q = "", cursor, entity } = route.useSearch();
  const [typed, setTyped] = useState(q);
  const ask = useDebouncedCallback(
    (text: string) => go({ q: text || undefined, cursor: undefined }, true),
    TYPING_MS,
  );
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...entitiesQuery(world.id, { type, ...compact({ q: q || undefined, cursor }) }),
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => withEdits(data?.items ?? [], edits.list, type, q), [data, edits.list, type, q]);
  const columns = useMemo(() => {
    // Of what is stored, so that columns stay while their values are edited.
    const shape = data && data.items.length > 0 ? data.items : rows;
    return entityColumns(shape, edits.list, narrow ? COLUMNS_BESIDE_PANE : undefined);
  }, [data, rows, edits.list, narrow]);
  const next = data?.next_cursor ?? null;
  return (
    <Panel flush style={{ minWidth: 0 }}>
      <Group p="xs" gap="xs" className={classes.tools}>
        <TextInput
          data-filter
          size="xs"
          aria-label={`Search ${type}`}
          placeholder="Id or any value"
          leftSection={<IconSearch size={14} />}
          value={typed}
          onChange={({ currentTarget }) => {
            setTyped(currentTarget.value);
            ask(currentTarget.value);
          }}
          className={classes.search ?? ""}
        />
        <Text size="xs" c="var(--ody-text-dim)" role="status">
          {data &&
            (q === ""
              ? counted(data.total, "entity", "entities")
              : `${data.total.toLocaleString("en")} found`)}
        </Text>
        {onAdd && (
          <Button
            ml="auto"
            variant="default"
            leftSection={<IconPlus size={14} />}
            onClick={() => onAdd(null)}
          >
            Add entity
          </Button>
        )}
      </Group>
      <div data-stale={isPlaceholderData || undefined} className={classes.rows}>
        <ListRows
          rows={data && rows}
          error={error}
          retry={() => void refetch()}
          empty={
            <Empty title={q === "" ? "None here" : "Nothing found"}>
              {q === ""
                ? `This world holds no ${type}.`
                : "No id and no value of this type has this text in it. Values inside lists and records are not searched."}
            </Empty>
          }
        >
          <DataTable
            label={`Entities of type ${type}`}
            columns={columns}
            rows={rows}
            rowKey={({ id }: Entity) => id}
            onOpen={({ id }) => go({ entity: id })}
            isSelected={({ id }) => id === entity}
          />
        </ListRows>
      </div>
      <ListFooter cursor={cursor} next={next} stale={isPlaceholderData} onTurn={(to) => go({ cursor: to })}>
        {ENTITIES_PER_PAGE} a page, by id
      </ListFooter>
    </Panel>
  );
}
