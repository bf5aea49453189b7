import { Button, Group, Text } from "@mantine/core";
import { useFocusWithin, useHover, useMergedRef } from "@mantine/hooks";
import { IconFlask } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { EVAL_RUNS_PER_PAGE } from "~/api/evals";
import { agentsQuery } from "~/api/queries";
import { counted } from "~/components/counted";
import { DataTable, sortByField, sortToText } from "~/components/data-table";
import classes from "~/components/list-page.module.css";
import { Live } from "~/components/live";
import { ButtonLink, Page, Panel } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { useAtTop } from "~/components/use-at-top";
import { evalRunColumns } from "~/pages/evals/eval-run-columns";
import { EvalRunFilterBar, type EvalRunsSearch } from "~/pages/evals/eval-run-filters";
import { useEvalRunList } from "~/pages/evals/use-eval-run-list";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/evals/runs");

export function EvalRunsPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/evals/runs" });
  const { cursor, sort: sortText, ...filters } = search;
  const hover = useHover<HTMLDivElement>();
  const focus = useFocusWithin<HTMLDivElement>();
  const region = useMergedRef(hover.ref, focus.ref);
  const atTop = useAtTop();
  const { data: agents } = useQuery(agentsQuery);
  const columns = useMemo(() => evalRunColumns(new Map(agents?.map(({ id, name }) => [id, name]))), [agents]);
  const { sort, query: sorted } = sortByField(sortText, columns);
  const quiet = atTop && sort === null && !hover.hovered && !focus.focused;
  const list = useEvalRunList(compact({ ...filters, cursor, sort: sorted }), quiet);
  const active = Object.keys(filters).length > 0;
  const change = (next: EvalRunsSearch) =>
    void navigate({ search: (before) => compact({ ...before, cursor: undefined, ...next }) });
  const clear = () => void navigate({ search: compact({ sort: sortText }) });
  const query = Object.entries({ ...filters, ...compact({ cursor, sort: sorted }) }).flatMap(
    ([name, value]) => [value].flat().map((each) => [name, String(each)]),
  );

  return (
    <Page
      title="Eval runs"
      curl={[
        {
          what: "This page of eval runs",
          path: `/api/v1/eval/runs?${new URLSearchParams([...query, ["limit", String(EVAL_RUNS_PER_PAGE)]])}`,
        },
      ]}
    >
      <EvalRunFilterBar search={search} onChange={change} onClear={clear} active={active} />
      <Panel
        title={sort ? "Eval runs" : cursor ? "Older eval runs" : "Newest eval runs"}
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
                {counted(list.waiting, "new eval run")}
              </Button>
            )}
          </div>
          {list.error ? (
            <ErrorState error={list.error} retry={list.retry} />
          ) : list.pending ? (
            <RowsLoading rows={12} />
          ) : list.rows.length === 0 ? (
            <NoEvalRuns filtered={active} further={cursor !== undefined} onClear={clear} />
          ) : (
            <DataTable
              label="Eval runs"
              columns={columns}
              rows={list.rows}
              rowKey={(run) => run.id}
              sort={sort}
              onSort={(next) =>
                void navigate({
                  search: (before) => compact({ ...before, cursor: undefined, sort: sortToText(next) }),
                })
              }
              onOpen={(run) => void navigate({ to: "/evals/runs/$runId", params: { runId: run.id } })}
            />
          )}
        </div>
        {(cursor !== undefined || list.nextCursor !== null) && (
          <Group justify="space-between" px="md" py="xs" className={classes.footer}>
            <Text size="xs" c="var(--ody-text-dim)">
              {counted(list.rows.length, "eval run")} on this page
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

interface NoEvalRunsProps {
  filtered: boolean;
  /** On a page that is not the first. */
  further: boolean;
  onClear: () => void;
}

function NoEvalRuns({ filtered, further, onClear }: NoEvalRunsProps) {
  const icon = <IconFlask size={32} stroke={1.5} />;
  if (filtered || further) {
    return (
      <Empty
        icon={icon}
        title={further ? "No further eval runs" : "No eval run matches"}
        action={
          filtered && (
            <Button variant="default" onClick={onClear}>
              Clear filters
            </Button>
          )
        }
      >
        {further ? "This is the end of the list." : "Nothing that all filters let through has run yet."}
      </Empty>
    );
  }
  return (
    <Empty
      icon={icon}
      title="No eval runs yet"
      action={<ButtonLink to="/scenarios">Go to the scenarios</ButtonLink>}
    >
      An eval run gives an agent a scenario, as it is or under a pressure such as a deadline or a false
      authority. Run a scenario several times each way, and the shift says whether the pressure changed what
      the agent does, or whether that was noise.
    </Empty>
  );
}
