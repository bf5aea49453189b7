import { IconStack2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BATCHES_PER_PAGE, batchesQuery } from "~/api/batches";
import { datasetsQuery } from "~/api/datasets";
import { agentsQuery } from "~/api/queries";
import { BatchTable } from "~/components/batches/batch-table";
import { withQuery } from "~/components/curl";
import { NamedFilter } from "~/components/list/filters";
import { ListBar, ListPage, ListRows } from "~/components/list/list-page";
import { NothingFits } from "~/components/list/nothing-fits";
import { ListFooter } from "~/components/list/page-turns";
import { useMayChange } from "~/components/may-change";
import { ButtonLink } from "~/components/page";
import { Empty } from "~/components/states";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/batches");
const WIDTH = { base: "100%", xs: 220 };

export function BatchesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useMayChange();
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: datasets = [] } = useQuery(datasetsQuery);
  const { data, error, refetch, isPlaceholderData } = useQuery(batchesQuery(search));
  const filtered = search.agent_id !== undefined || search.dataset_id !== undefined;
  const change = (next: { [Name in keyof typeof search]?: (typeof search)[Name] | undefined }) =>
    void navigate({ search: (before) => compact({ ...before, cursor: undefined, ...next }) });
  return (
    <ListPage
      title="Batches"
      actions={mayChange && <ButtonLink to="/datasets">Run a dataset</ButtonLink>}
      curl={[
        {
          what: "This page of batches",
          path: withQuery("/api/batches", { ...search, limit: BATCHES_PER_PAGE }),
        },
      ]}
      bar={
        <ListBar label="Filter batches">
          <NamedFilter
            label="Agent"
            any="Any agent"
            nothingFound="Nothing of that name"
            w={WIDTH}
            choices={agents}
            value={search.agent_id}
            onChange={(agent_id) => change({ agent_id })}
          />
          <NamedFilter
            label="Dataset"
            any="Any dataset"
            nothingFound="Nothing of that name"
            w={WIDTH}
            choices={datasets}
            value={search.dataset_id}
            onChange={(dataset_id) => change({ dataset_id })}
          />
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
        >
          {data?.items.length} batches on this page
        </ListFooter>
      }
    >
      <ListRows
        rows={data?.items}
        error={error}
        retry={() => void refetch()}
        empty={<NoBatches filtered={filtered} onClear={() => void navigate({ search: {} })} />}
      >
        <BatchTable batches={data?.items ?? []} />
      </ListRows>
    </ListPage>
  );
}

function NoBatches({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <NothingFits title="No batch fits" onShowAll={onClear}>
        There is none of this agent and dataset.
      </NothingFits>
    );
  }
  return (
    <Empty
      icon={<IconStack2 size={32} stroke={1.5} />}
      title="No batches yet"
      action={<ButtonLink to="/datasets">See the datasets</ButtonLink>}
    >
      A batch is a dataset run on an agent: every row once or many times, graded, with how sure the figures
      are. Two batches of the same rows can be compared.
    </Empty>
  );
}
