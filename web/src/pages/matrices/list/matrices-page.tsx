import { Button, Group, Select, Text } from "@mantine/core";
import { IconArrowsDiff, IconGrid4x4, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { MATRICES_PER_PAGE, matricesQuery } from "~/api/matrices";
import { agentsQuery } from "~/api/queries";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, Page, Panel } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { MatrixTable } from "~/pages/matrices/list/matrix-table";
import classes from "~/pages/matrices/matrices.module.css";
import { MATRIX_STATUSES } from "~/routes";
import { compact, oneOf } from "~/shell/search";

const route = getRouteApi("/app/matrices");

export function MatricesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useMayChange();
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data, error, refetch, isPlaceholderData } = useQuery(matricesQuery(search));
  const [chosen, setChosen] = useState<string[]>([]);
  const choose = useCallback(
    (id: string) =>
      setChosen((before) => (before.includes(id) ? before.filter((each) => each !== id) : [...before, id])),
    [],
  );
  const filtered = search.agent_id !== undefined || search.status !== undefined;
  const change = (next: { [Name in keyof typeof search]?: (typeof search)[Name] | undefined }) =>
    void navigate({ search: (before) => compact({ ...before, cursor: undefined, ...next }) });
  const query = new URLSearchParams(
    Object.entries({ ...search, limit: MATRICES_PER_PAGE }).map(([name, value]) => [name, String(value)]),
  );
  const known = agents.map(({ id, name }) => ({ value: String(id), label: name }));
  const unknown = search.agent_id !== undefined && !agents.some(({ id }) => id === search.agent_id);
  return (
    <Page
      title="Matrices"
      actions={
        <>
          {mayChange && (
            <ButtonLink to="/matrices/new" leftSection={<IconPlus size={15} />}>
              New matrix
            </ButtonLink>
          )}
          <CompareButton chosen={chosen} order={data?.items.map(({ id }) => id) ?? []} />
        </>
      }
      curl={[
        { what: "This page of matrices", path: `/api/v1/eval/matrix?${query}` },
        { what: "The newest of every agent in figures", path: "/api/v1/eval/summary" },
      ]}
    >
      <Panel flush>
        <Group p="xs" gap="xs" className={classes.filterBar} role="search" aria-label="Filter matrices">
          <Select
            size="xs"
            aria-label="Agent"
            placeholder="Any agent"
            searchable
            clearable
            clearButtonProps={{ "aria-label": "Any agent" }}
            nothingFoundMessage="Nothing of that name"
            data={
              unknown
                ? [...known, { value: String(search.agent_id), label: `Agent ${search.agent_id}` }]
                : known
            }
            value={search.agent_id === undefined ? null : String(search.agent_id)}
            onChange={(id) => change({ agent_id: id === null ? undefined : Number(id) })}
            w={{ base: "100%", xs: 220 }}
          />
          <Select
            size="xs"
            aria-label="Status"
            placeholder="Any status"
            clearable
            clearButtonProps={{ "aria-label": "Any status" }}
            data={[...MATRIX_STATUSES]}
            value={search.status ?? null}
            onChange={(status) => change({ status: oneOf(status, MATRIX_STATUSES) })}
            w={{ base: "100%", xs: 140 }}
          />
          {data && data.items.length > 1 && (
            <Text size="xs" c="var(--ody-text-dim)">
              Choose two to compare them.
            </Text>
          )}
        </Group>
        {data === undefined ? (
          error ? (
            <ErrorState error={error} retry={() => void refetch()} />
          ) : (
            <RowsLoading />
          )
        ) : data.items.length === 0 ? (
          <NoMatrices
            filtered={filtered}
            mayChange={mayChange}
            onClear={() => void navigate({ search: {} })}
          />
        ) : (
          <div className={isPlaceholderData ? classes.stale : undefined}>
            <MatrixTable matrices={data.items} chosen={chosen} onChoose={choose} />
          </div>
        )}
        {(search.cursor !== undefined || data?.next_cursor) && (
          <Group justify="flex-end" px="md" py="xs" gap="xs" component="nav" aria-label="Pages">
            <Button
              variant="default"
              disabled={search.cursor === undefined}
              onClick={() => change({ cursor: undefined })}
            >
              Newest
            </Button>
            <Button
              variant="default"
              disabled={!data?.next_cursor || isPlaceholderData}
              onClick={() => change({ cursor: data?.next_cursor ?? undefined })}
            >
              Next
            </Button>
          </Group>
        )}
      </Panel>
    </Page>
  );
}

/** The older of the two is what the newer is held against. */
function CompareButton({ chosen, order }: { chosen: string[]; order: string[] }) {
  const navigate = route.useNavigate();
  const [after, before] = chosen.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  if (chosen.length === 0) return null;
  return (
    <Button
      variant="default"
      leftSection={<IconArrowsDiff size={15} />}
      disabled={after === undefined || before === undefined}
      onClick={() => void navigate({ to: "/matrices/compare", search: compact({ before, after }) })}
    >
      {chosen.length < 2 ? "Compare: choose another" : "Compare the two"}
    </Button>
  );
}

interface NoMatricesProps {
  filtered: boolean;
  mayChange: boolean;
  onClear: () => void;
}

function NoMatrices({ filtered, mayChange, onClear }: NoMatricesProps) {
  if (filtered) {
    return (
      <Empty
        title="No matrix fits"
        action={
          <Button variant="default" onClick={onClear}>
            Show all
          </Button>
        }
      >
        There is none of this agent and status.
      </Empty>
    );
  }
  return (
    <Empty
      icon={<IconGrid4x4 size={32} stroke={1.5} />}
      title="No matrices yet"
      action={mayChange && <ButtonLink to="/matrices/new">New matrix</ButtonLink>}
    >
      A matrix runs every scenario under every pressure and shows as a heat map where the agent behaves
      otherwise than without it, beyond its own noise.
    </Empty>
  );
}
