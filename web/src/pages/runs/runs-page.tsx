import { Button, Group, Text } from "@mantine/core";
import { useFocusWithin, useHover, useMergedRef } from "@mantine/hooks";
import { IconPlayerPlay, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { RUNS_PER_PAGE, sessionQuery } from "~/api/queries";
import { DataTable, sortByField, sortToText } from "~/components/data-table";
import classes from "~/components/list-page.module.css";
import { Live } from "~/components/live";
import { Page, Panel } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { useAtTop } from "~/components/use-at-top";
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
  const hover = useHover<HTMLDivElement>();
  const focus = useFocusWithin<HTMLDivElement>();
  const region = useMergedRef(hover.ref, focus.ref);
  const atTop = useAtTop();
  const list = useRunList(
    compact({ ...filters, cursor, sort: sorted }),
    atTop && sort === null && !hover.hovered && !focus.focused,
  );
  const active = Object.keys(filters).length > 0;
  const change = (next: RunsSearch, replace = false) =>
    void navigate({ search: (before) => compact({ ...before, cursor: undefined, ...next }), replace });
  const clear = () => void navigate({ search: compact({ sort: sortText }) });
  const query = new URLSearchParams(
    Object.entries(compact({ ...search, sort: sorted })).flatMap(([name, value]) =>
      [value].flat().map((each) => [name, String(each)]),
    ),
  );

  return (
    <Page
      title="Runs"
      curl={[
        {
          what: "This page of runs",
          path: `/api/runs?${new URLSearchParams([...query, ["limit", String(RUNS_PER_PAGE)]])}`,
        },
        { what: "Runs as they change (server-sent events)", path: "/api/runs/events" },
      ]}
      actions={<NewRun />}
    >
      <RunFilterBar search={search} onChange={change} onClear={clear} active={active} />
      <Panel
        title={sort ? "Runs" : cursor ? "Older runs" : "Newest runs"}
        tools={<Live state={list.live} />}
        flush
      >
        <div ref={region} className={classes.region} data-stale={list.stale || undefined}>
          <div className={classes.news} aria-live="polite">
            {list.waiting > 0 && (
              <Button
                radius="xl"
                size="compact-sm"
                mt={6}
                onClick={() => {
                  list.reveal();
                  window.scrollTo({ top: 0 });
                }}
              >
                {list.waiting === 1 ? "1 new run" : `${list.waiting} new runs`}
              </Button>
            )}
          </div>
          {list.error ? (
            <ErrorState error={list.error} retry={list.retry} />
          ) : list.pending ? (
            <RowsLoading rows={12} />
          ) : list.rows.length === 0 ? (
            <NoRuns filtered={active} further={cursor !== undefined} onClear={clear} />
          ) : (
            <DataTable
              label="Runs"
              columns={RUN_COLUMNS}
              rows={list.rows}
              rowKey={(run) => run.id}
              sort={sort}
              onSort={(next) =>
                void navigate({
                  search: (before) => compact({ ...before, cursor: undefined, sort: sortToText(next) }),
                })
              }
              onOpen={(run) => void navigate({ to: "/runs/$runId", params: { runId: run.id } })}
            />
          )}
        </div>
        {(cursor !== undefined || list.nextCursor !== null) && (
          <Group justify="space-between" px="md" py="xs" className={classes.footer}>
            <Text size="xs" c="var(--ody-text-dim)">
              {list.rows.length} runs on this page
            </Text>
            <Group gap="xs" component="nav" aria-label="Pages">
              <Button
                variant="default"
                disabled={cursor === undefined}
                onClick={() =>
                  void navigate({ search: (before) => compact({ ...before, cursor: undefined }) })
                }
              >
                {sort ? "First" : "Newest"}
              </Button>
              <Button
                variant="default"
                disabled={list.nextCursor === null || list.stale}
                onClick={() =>
                  void navigate({
                    search: (before) => compact({ ...before, cursor: list.nextCursor ?? undefined }),
                    resetScroll: true,
                  })
                }
              >
                Next
              </Button>
            </Group>
          </Group>
        )}
      </Panel>
    </Page>
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
      <Empty
        icon={icon}
        title={further ? "No further runs" : "No run matches"}
        action={
          filtered && (
            <Button variant="default" onClick={onClear}>
              Clear filters
            </Button>
          )
        }
      >
        {further ? "This is the end of the list." : "There are runs, but none that all filters let through."}
      </Empty>
    );
  }
  return (
    <Empty icon={icon} title="No runs yet" action={<NewRun />}>
      A run sends one task to an agent and records every tool call it makes. Register and publish an agent,
      then start one: the page for a new run also writes the curl command for it.
    </Empty>
  );
}
