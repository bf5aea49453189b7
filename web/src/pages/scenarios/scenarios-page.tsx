import { Button } from "@mantine/core";
import { IconFileImport, IconPlus, IconWeight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { exportPath, SCENARIOS_PER_PAGE, scenariosQuery } from "~/api/scenarios";
import { withQuery } from "~/components/curl";
import { DataTable, sortByField, sortToText } from "~/components/data-table";
import { FileDrop, useFile } from "~/components/file-drop";
import { ListPage, ListRows } from "~/components/list/list-page";
import { NothingFits } from "~/components/list/nothing-fits";
import { useMayChange } from "~/components/may-change";
import { ButtonLink } from "~/components/page";
import { type FilterChange, ScenarioFilterBar } from "~/components/scenario-filters";
import { ExportMenu } from "~/pages/scenarios/export-menu";
import { ImportDialog, type Taken } from "~/pages/scenarios/import/import-dialog";
import { NoScenarios } from "~/pages/scenarios/no-scenarios";
import { columnsOf } from "~/pages/scenarios/scenario-columns";
import { SelectionFooter } from "~/pages/scenarios/selection-footer";
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
  const query = compact({ ...filters, cursor, sort: sorted });
  const list = useQuery(scenariosQuery(query));
  const [importing, setImporting] = useState(false);
  const [taken, setTaken] = useState(NOTHING);
  const file = useFile((text, name) => setTaken({ text, name }));
  const rows = list.data?.items ?? [];
  const filtered = Object.keys(filters).length > 0;

  const change = (
    filter: FilterChange & { sort?: string | undefined; cursor?: string | undefined },
    replace = false,
  ) => void navigate({ search: (before) => compact({ ...before, cursor: undefined, ...filter }), replace });
  const clear = () => void navigate({ search: compact({ sort: sortText }) });
  const startImport = () => setImporting(true);
  const dropped = {
    ...file,
    take: (given: File | null) => {
      setImporting(true);
      file.take(given);
    },
  };

  const bare = list.data?.items.length === 0 && !filtered && cursor === undefined;
  const table = (
    <ListRows
      rows={list.data?.items}
      error={list.error}
      retry={() => void list.refetch()}
      bars={10}
      empty={
        bare ? (
          <NoScenarios mayChange={mayChange} onImport={startImport} />
        ) : (
          <NothingFits
            title={cursor === undefined ? "No scenario fits" : "No further scenarios"}
            onShowAll={clear}
          >
            {cursor === undefined
              ? "There are scenarios, but none that all filters let through."
              : "This is the end of the list."}
          </NothingFits>
        )
      }
    >
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
    </ListRows>
  );

  return (
    <ListPage
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
          path: withQuery("/api/v1/eval/scenarios", { ...query, limit: SCENARIOS_PER_PAGE }),
        },
        { what: "They as a file", path: exportPath("yaml", filters) },
      ]}
      filters={
        <>
          {!bare && (
            <ScenarioFilterBar
              filters={filters}
              tags={[...new Set(rows.flatMap(({ tags }) => tags))].toSorted()}
              onChange={change}
              onClear={clear}
            />
          )}
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
        </>
      }
      stale={list.isPlaceholderData}
      footer={
        rows.length > 0 && (
          <SelectionFooter
            rows={rows}
            selection={selection}
            turns={{
              cursor,
              next: list.data?.next_cursor,
              stale: list.isPlaceholderData,
              first: sort ? "First" : "Newest",
              onTurn: (to) => change({ cursor: to }),
            }}
          />
        )
      }
    >
      {mayChange ? <FileDrop file={dropped}>{table}</FileDrop> : table}
    </ListPage>
  );
}
