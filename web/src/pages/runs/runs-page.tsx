import { Button } from "@mantine/core";
import { IconPlayerPlay, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { RUNS_PER_PAGE, sessionQuery } from "~/api/queries";
import { withQuery } from "~/components/curl";
import { sortByField } from "~/components/data-table";
import { NoFurther } from "~/components/list/nothing-fits";
import { LiveListPage } from "~/components/live-list/live-list-page";
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
    <LiveListPage
      title="Runs"
      noun="run"
      curl={[
        {
          what: "This page of runs",
          path: withQuery("/api/runs", { ...compact({ ...search, sort: sorted }), limit: RUNS_PER_PAGE }),
        },
        { what: "Runs as they change (server-sent events)", path: "/api/runs/events" },
      ]}
      actions={<NewRun />}
      filters={<RunFilterBar search={search} onChange={change} onClear={clear} active={active} />}
      list={list}
      region={region}
      columns={RUN_COLUMNS}
      cursor={cursor}
      sort={sort}
      onTurn={change}
      count={`${list.rows?.length ?? 0} runs on this page`}
      empty={<NoRuns filtered={active} further={cursor !== undefined} onClear={clear} />}
      onOpen={({ id }) => void navigate({ to: "/runs/$runId", params: { runId: id } })}
    />
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
