import { Button } from "@mantine/core";
import { IconPlayerPlay, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { RUNS_PER_PAGE, sessionQuery } from "~/api/queries";
import { withQuery } from "~/components/curl";
import { DataTable, sortByField, sortToText } from "~/components/data-table";
import { ListPage, ListRows } from "~/components/list/list-page";
import { NoFurther } from "~/components/list/nothing-fits";
import { ListFooter } from "~/components/list/page-turns";
import { Live, NewRows } from "~/components/live-list/live";
import { useQuietRegion } from "~/components/live-list/use-quiet-region";
import { Empty } from "~/components/states";
import { RUN_COLUMNS } from "~/pages/runs/run-columns";
import { RunFilterBar, type RunsSearch } from "~/pages/runs/run-filters";
import { useRunList } from "~/pages/runs/use-run-list";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/runs");

export function RunsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/runs" });
  const { cursor, sort: sortText, ...filters } = search;
  const { sort, query: sorted } = sortByField(sortText, RUN_COLUMNS);
  const { region, quiet } = useQuietRegion();
  const list = useRunList(compact({ ...filters, cursor, sort: sorted }), quiet && sort === null);
  const active = Object.keys(filters).length > 0;
  const change = (next: RunsSearch, replace = false) =>
    void navigate({ search: (before) => compact({ ...before, cursor: undefined, ...next }), replace });
  const clear = () => void navigate({ search: compact({ sort: sortText }) });

  return (
    <ListPage
      title="Runs"
      curl={[
        {
          what: "This page of runs",
          path: withQuery("/api/runs", { ...compact({ ...search, sort: sorted }), limit: RUNS_PER_PAGE }),
        },
        { what: "Runs as they change (server-sent events)", path: "/api/runs/events" },
      ]}
      actions={<NewRun />}
      filters={<RunFilterBar search={search} onChange={change} onClear={clear} active={active} />}
      panelTitle={sort ? "Runs" : cursor ? "Older runs" : "Newest runs"}
      panelTools={<Live state={list.live} />}
      region={region}
      stale={list.stale}
      footer={
        <ListFooter
          cursor={cursor}
          next={list.nextCursor}
          stale={list.stale}
          first={sort ? "First" : "Newest"}
          onTurn={(to) => change({ cursor: to })}
        >
          {list.rows?.length ?? 0} runs on this page
        </ListFooter>
      }
    >
      <NewRows list={list} noun="run" />
      <ListRows
        rows={list.rows}
        error={list.error}
        retry={list.retry}
        bars={12}
        empty={<NoRuns filtered={active} further={cursor !== undefined} onClear={clear} />}
      >
        <DataTable
          label="Runs"
          columns={RUN_COLUMNS}
          rows={list.rows ?? []}
          rowKey={(run) => run.id}
          sort={sort}
          onSort={(next) => change({ sort: sortToText(next) })}
          onOpen={(run) => void navigate({ to: "/runs/$runId", params: { runId: run.id } })}
        />
      </ListRows>
    </ListPage>
  );
}

function NewRun() {
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  if (session?.person.role === "viewer") return null;
  return (
    <Button leftSection={<IconPlus size={14} />} onClick={() => void navigate({ to: "/runs/new" })}>
      New run
    </Button>
  );
}

interface NoRunsProps {
  filtered: boolean;
  /** On a page that is not the first. */
  further: boolean;
  onClear: () => void;
}

function NoRuns({ filtered, further, onClear }: NoRunsProps) {
  const icon = <IconPlayerPlay size={32} stroke={1.5} />;
  if (filtered || further) {
    return (
      <NoFurther icon={icon} noun="run" further={further} onClear={filtered ? onClear : undefined}>
        There are runs, but none that all filters let through.
      </NoFurther>
    );
  }
  return (
    <Empty icon={icon} title="No runs yet" action={<NewRun />}>
      A run sends one task to an agent and records every tool call it makes. Register and publish an agent,
      then start one: the page for a new run also writes the curl command for it.
    </Empty>
  );
}
