import { Button, Text } from "@mantine/core";
import { IconArrowsDiff, IconGrid4x4, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useState } from "react";
import { MATRICES_PER_PAGE, matricesQuery } from "~/api/matrices";
import { agentsQuery } from "~/api/queries";
import { withQuery } from "~/components/curl";
import { ChoiceFilter, NamedFilter } from "~/components/list/filters";
import { ListBar, ListPage, ListRows } from "~/components/list/list-page";
import { NothingFits } from "~/components/list/nothing-fits";
import { ListFooter } from "~/components/list/page-turns";
import { useMayChange } from "~/components/may-change";
import { ButtonLink } from "~/components/page";
import { Empty } from "~/components/states";
import { MatrixTable } from "~/pages/matrices/list/matrix-table";
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
  return (
    <ListPage
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
        {
          what: "This page of matrices",
          path: withQuery("/api/v1/eval/matrix", { ...search, limit: MATRICES_PER_PAGE }),
        },
        { what: "The newest of every agent in figures", path: "/api/v1/eval/summary" },
      ]}
      bar={
        <ListBar label="Filter matrices">
          <NamedFilter
            label="Agent"
            any="Any agent"
            nothingFound="Nothing of that name"
            w={{ base: "100%", xs: 220 }}
            choices={agents}
            value={search.agent_id}
            onChange={(agent_id) => change({ agent_id })}
          />
          <ChoiceFilter
            label="Status"
            any="Any status"
            w={{ base: "100%", xs: 140 }}
            data={[...MATRIX_STATUSES]}
            value={search.status}
            onChange={(status) => change({ status: oneOf(status, MATRIX_STATUSES) })}
          />
          {data && data.items.length > 1 && (
            <Text size="xs" c="var(--ody-text-dim)">
              Choose two to compare them.
            </Text>
          )}
        </ListBar>
      }
      stale={isPlaceholderData}
      footer={
        <ListFooter
          cursor={search.cursor}
          next={data?.next_cursor}
          stale={isPlaceholderData}
          first="Newest"
          onTurn={(cursor) => change({ cursor })}
        />
      }
    >
      <ListRows
        rows={data?.items}
        error={error}
        retry={() => void refetch()}
        empty={
          <NoMatrices
            filtered={filtered}
            mayChange={mayChange}
            onClear={() => void navigate({ search: {} })}
          />
        }
      >
        <MatrixTable matrices={data?.items ?? []} chosen={chosen} onChoose={choose} />
      </ListRows>
    </ListPage>
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
      <NothingFits title="No matrix fits" onShowAll={onClear}>
        There is none of this agent and status.
      </NothingFits>
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
