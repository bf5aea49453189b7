import { IconPlus, IconTable } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { type Batch, batchesQuery } from "~/api/batches";
import { type Dataset, datasetsQuery } from "~/api/datasets";
import type { Column } from "~/components/data-table";
import { SearchedListPage } from "~/components/list/searched-list-page";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, TextLink } from "~/components/page";
import { Empty } from "~/components/states";
import { Ago } from "~/components/time";
import classes from "~/pages/datasets/datasets.module.css";
import { LastBatch } from "~/pages/datasets/last-batch";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/datasets");
const BATCHES_LOOKED_AT = 100;

export function DatasetsPage() {
  const { q = "", sort } = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useMayChange();
  const { data: batches } = useQuery(batchesQuery({}, BATCHES_LOOKED_AT));
  const list = useQuery({ ...datasetsQuery, placeholderData: keepPreviousData });
  const columns = useMemo(() => columnsOf(batches?.items ?? []), [batches]);
  return (
    <SearchedListPage
      title="Datasets"
      noun="dataset"
      actions={mayChange && <NewDatasetButton />}
      curl={[
        { what: "List the datasets", path: "/api/datasets?limit=200" },
        { what: "A template to fill in", path: "/api/datasets/template?format=csv" },
      ]}
      list={list}
      columns={columns}
      q={q}
      sort={sort}
      onSearch={(change) =>
        void navigate({ search: (before) => compact({ ...before, ...change }), replace: true })
      }
      placeholder="Name"
      textsOf={({ name }) => [name]}
      nothingFits="None of them has this text in its name."
      empty={<NoDatasets mayChange={mayChange} />}
      onOpen={({ id }) => void navigate({ to: "/datasets/$datasetId", params: { datasetId: id } })}
    />
  );
}

function columnsOf(batches: Batch[]): Column<Dataset>[] {
  const newest = new Map<number, Batch>();
  for (const batch of batches) {
    if (batch.dataset_id !== null && !newest.has(batch.dataset_id)) newest.set(batch.dataset_id, batch);
  }
  return [
    {
      id: "name",
      title: "Name",
      width: "30%",
      value: ({ name }) => name.toLowerCase(),
      render: ({ id, name }) => (
        <div className={classes.named}>
          <TextLink
            to="/datasets/$datasetId"
            params={{ datasetId: id }}
            className={classes.name ?? ""}
            lineClamp={2}
            title={name}
          >
            {name}
          </TextLink>
        </div>
      ),
    },
    {
      id: "rows",
      title: "Rows",
      width: 80,
      align: "right",
      value: ({ row_count }) => row_count,
      render: ({ row_count }) => row_count.toLocaleString("en"),
    },
    {
      id: "revision",
      title: "Revision",
      width: 90,
      align: "right",
      wide: true,
      value: ({ revision }) => revision,
      render: ({ revision }) => revision,
    },
    {
      id: "columns",
      title: "Columns",
      wide: true,
      render: ({ columns }) => (
        <span className={`${classes.columns} ${classes.dim}`}>{columns.join(", ")}</span>
      ),
    },
    {
      id: "batch",
      title: "Last batch",
      width: 190,
      value: ({ id }) => newest.get(id)?.pass_rate?.share ?? null,
      render: ({ id }) => <LastBatch batch={newest.get(id)} />,
    },
    {
      id: "updated",
      title: "Updated",
      width: 110,
      wide: true,
      value: ({ updated_at }) => Date.parse(updated_at),
      render: ({ updated_at }) => (
        <span className={classes.nowrap}>
          <Ago at={updated_at} />
        </span>
      ),
    },
  ];
}

function NewDatasetButton() {
  return (
    <ButtonLink to="/datasets/new" leftSection={<IconPlus size={15} />}>
      New dataset
    </ButtonLink>
  );
}

function NoDatasets({ mayChange }: { mayChange: boolean }) {
  return (
    <Empty
      icon={<IconTable size={32} stroke={1.5} />}
      title="No datasets yet"
      action={mayChange ? <NewDatasetButton /> : "Ask a member of your organisation to make one."}
    >
      A dataset is a table of tasks: each row says what the agent is asked, what the world holds, and what
      must be true in the end. Run it on an agent as often as you like, and compare what came of it.
    </Empty>
  );
}
