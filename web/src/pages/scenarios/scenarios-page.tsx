import { Button } from "@mantine/core";
import { IconFileImport, IconPlus, IconWeight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { exportPath, SCENARIOS_PER_PAGE, scenariosQuery } from "~/api/scenarios";
import { DataTable, sortByField, sortToText } from "~/components/data-table";
import { FileDrop, useFile } from "~/components/file-drop";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, Page, Panel } from "~/components/page";
import { type FilterChange, ScenarioFilterBar } from "~/components/scenario-filters";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { ExportMenu } from "~/pages/scenarios/export-menu";
import { ImportDialog, type Taken } from "~/pages/scenarios/import/import-dialog";
import { ListFooter } from "~/pages/scenarios/list-footer";
import { NoScenarios } from "~/pages/scenarios/no-scenarios";
import { columnsOf } from "~/pages/scenarios/scenario-columns";
import classes from "~/pages/scenarios/scenarios.module.css";
import { useSelection } from "~/pages/scenarios/use-selection";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/scenarios");
const NOTHING: Taken = { text: "", name: null };

/** The library: everything agents are tried with. */
export function ScenariosPage() {
  const { cursor, sort: sortText, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useMayChange();
  const selection = useSelection();
  const columns = useMemo(() => columnsOf(selection, filters.tag), [selection, filters.tag]);
  const { sort, query: sorted } = sortByField(sortText, columns);
  const list = useQuery(scenariosQuery(compact({ ...filters, cursor, sort: sorted })));
  const [importing, setImporting] = useState(false);
  const [taken, setTaken] = useState(NOTHING);
  const file = useFile((text, name) => setTaken({ text, name }));
  const rows = list.data?.items ?? [];
  const filtered = Object.keys(filters).length > 0;
  const next = list.data?.next_cursor;

  const change = (filter: FilterChange & { sort?: string | undefined }, replace = false) =>
    void navigate({ search: (before) => compact({ ...before, cursor: undefined, ...filter }), replace });
  const turnTo = (page: string | undefined) =>
    void navigate({ search: (before) => compact({ ...before, cursor: page }), resetScroll: true });
  const clear = () => void navigate({ search: compact({ sort: sortText }) });
  const startImport = () => setImporting(true);
  const dropped = {
    ...file,
    take: (given: File | null) => {
      setImporting(true);
      file.take(given);
    },
  };

  const empty = list.data !== undefined && rows.length === 0;
  const bare = empty && !filtered && cursor === undefined;
  const table = (
    <>
      {list.data === undefined ? (
        list.error ? (
          <ErrorState error={list.error} retry={() => void list.refetch()} />
        ) : (
          <RowsLoading rows={10} />
        )
      ) : bare ? (
        <NoScenarios mayChange={mayChange} onImport={startImport} />
      ) : empty ? (
        <Empty
          title={cursor === undefined ? "No scenario fits" : "No further scenarios"}
          action={
            <Button variant="default" onClick={clear}>
              Show all
            </Button>
          }
        >
          {cursor === undefined
            ? "There are scenarios, but none that all filters let through."
            : "This is the end of the list."}
        </Empty>
      ) : (
        <DataTable
          label="Scenarios"
          columns={columns}
          rows={rows}
          rowKey={({ id }) => id}
          sort={sort}
          onSort={(order) => change({ sort: sortToText(order) })}
          onOpen={({ id }) => void navigate({ to: "/scenarios/$scenarioId", params: { scenarioId: id } })}
          isSelected={({ id }) => selection.has(id)}
        />
      )}
    </>
  );

  return (
    <Page
      title="Scenarios"
      actions={
        <>
          {mayChange && (
            <ButtonLink to="/scenarios/new" leftSection={<IconPlus size={15} />}>
              New scenario
            </ButtonLink>
          )}
          {mayChange && (
            <Button variant="default" leftSection={<IconFileImport size={15} />} onClick={startImport}>
              Import
            </Button>
          )}
          {!bare && <ExportMenu filters={filters} selected={selection.ids} />}
          <ButtonLink to="/variations" variant="default" leftSection={<IconWeight size={15} />}>
            Variations
          </ButtonLink>
        </>
      }
      curl={[
        {
          what: "This page of scenarios",
          path: `/api/v1/eval/scenarios?${new URLSearchParams({
            ...filters,
            ...compact({ cursor, sort: sorted }),
            limit: String(SCENARIOS_PER_PAGE),
          })}`,
        },
        { what: "They as a file", path: exportPath("yaml", filters) },
      ]}
    >
      {!bare && (
        <ScenarioFilterBar
          filters={filters}
          tags={[...new Set(rows.flatMap(({ tags }) => tags))].toSorted()}
          onChange={change}
          onClear={clear}
        />
      )}
      <Panel flush>
        <div className={classes.region} data-stale={list.isPlaceholderData || undefined}>
          {mayChange ? <FileDrop file={dropped}>{table}</FileDrop> : table}
        </div>
        {rows.length > 0 && (
          <ListFooter
            rows={rows}
            selection={selection}
            first={sort ? "First" : "Newest"}
            onFirst={cursor === undefined ? undefined : () => turnTo(undefined)}
            onNext={next && !list.isPlaceholderData ? () => turnTo(next) : undefined}
          />
        )}
      </Panel>
      <ImportDialog
        opened={importing}
        onClose={() => {
          setImporting(false);
          setTaken(NOTHING);
          file.forget();
        }}
        file={file}
        taken={taken}
        onTaken={setTaken}
      />
    </Page>
  );
}
