import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { type Dataset, datasetQuery } from "~/api/datasets";
import { counted } from "~/components/counted";
import { LeaveGuard } from "~/components/leave-guard";
import { useMayChange } from "~/components/may-change";
import { Page, TextLink } from "~/components/page";
import { ErrorState, PageLoading } from "~/components/states";
import { AuditTab } from "~/pages/datasets/audit-tab";
import { BatchesTab } from "~/pages/datasets/batches-tab";
import { DatasetActions } from "~/pages/datasets/dataset-actions";
import { DatasetFacts } from "~/pages/datasets/dataset-facts";
import type { Cell } from "~/pages/datasets/grid/rows";
import { RowsTab } from "~/pages/datasets/rows-tab";
import { UploadTab } from "~/pages/datasets/upload-tab";
import { useSavedRows } from "~/pages/datasets/use-saved-rows";

const route = getRouteApi("/app/datasets/$datasetId");

export function DatasetPage() {
  const { datasetId } = route.useParams();
  const { data: dataset, error, refetch } = useQuery(datasetQuery(datasetId));
  if (dataset) return <Loaded key={datasetId} dataset={dataset} />;
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}

type Tab = NonNullable<ReturnType<typeof route.useSearch>["tab"]> | "rows";

function Loaded({ dataset }: { dataset: Dataset }) {
  const { tab = "rows", row, column = "user" } = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useMayChange();
  const saved = useSavedRows(dataset);
  const [active, setActive] = useState<Cell | null>(null);

  // A cell of the address is gone to once.
  const [gone, setGone] = useState<string | null>(null);
  const asked = row === undefined ? null : `${row} ${column}`;
  if (asked !== gone && (asked === null || saved.ready)) {
    setGone(asked);
    if (row !== undefined) setActive({ row, column });
  }

  function show(next: string | null) {
    const chosen = next as Tab | null;
    void navigate({
      search: chosen === null || chosen === "rows" ? {} : { tab: chosen },
      resetScroll: false,
    });
  }

  const tabs: [Tab, string, ReactNode][] = [
    [
      "rows",
      `Rows (${dataset.row_count.toLocaleString("en")})`,
      <RowsTab key="rows" dataset={dataset} saved={saved} active={active} onActive={setActive} />,
    ],
    [
      "upload",
      "Upload",
      <UploadTab
        key="upload"
        dataset={dataset}
        saved={saved}
        onEdit={(found, cell) => {
          saved.rows.replace(found);
          setActive(cell ?? { row: 0, column: "user" });
          show("rows");
        }}
      />,
    ],
    ["audit", "Audit", <AuditTab key="audit" dataset={dataset} unsaved={saved.rows.unsaved} />],
    ["batches", "Batches", <BatchesTab key="batches" dataset={dataset} />],
  ];
  return (
    <Page
      title={dataset.name}
      trail={[
        <TextLink key="datasets" to="/datasets">
          Datasets
        </TextLink>,
      ]}
      actions={<DatasetActions dataset={dataset} />}
      curl={requests(dataset)}
    >
      <LeaveGuard unsaved={() => saved.rows.unsaved} />
      <DatasetFacts dataset={dataset} />
      <Tabs value={tab} onChange={show} keepMounted={false}>
        <Tabs.List mb="md">
          {tabs
            .filter(([value]) => mayChange || value !== "upload")
            .map(([value, label]) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
        </Tabs.List>
        {tabs.map(([value, , content]) => (
          <Tabs.Panel
            key={value}
            value={value}
            aria-label={value === "rows" ? counted(dataset.row_count, "row") : undefined}
          >
            {content}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

function requests(dataset: Dataset) {
  const base = `/api/datasets/${dataset.id}`;
  return [
    { what: "This dataset", path: base },
    { what: "Its rows", path: `${base}/rows?limit=100` },
    { what: "Its rows as a file", path: `${base}/export?format=csv` },
    { what: "Rows that useless agents pass, or nobody", method: "POST" as const, path: `${base}/audit` },
    {
      what: "Run it on an agent, each row three times",
      method: "POST" as const,
      path: "/api/runs",
      body: { agent_id: 1, dataset_id: dataset.id, repeats: 3 },
    },
  ];
}
