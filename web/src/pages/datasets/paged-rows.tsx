import { Anchor, Group, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { type Dataset, exportPath, rowsQuery } from "~/api/datasets";
import { PageTurns } from "~/components/list/page-turns";
import { Panel, TextLink } from "~/components/page";
import { ErrorState, RowsLoading } from "~/components/states";
import { columnsShown } from "~/pages/datasets/columns";
import classes from "~/pages/datasets/datasets.module.css";
import { CellDialog } from "~/pages/datasets/grid/cell-dialog";
import { Grid } from "~/pages/datasets/grid/grid";
import { NO_NOTES } from "~/pages/datasets/grid/notes";
import { type Cell, cellText, newRow } from "~/pages/datasets/grid/rows";
import { MOST_EDITED } from "~/pages/datasets/sizes";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/datasets/$datasetId");

/** Rows of a large dataset, page by page, to be read. */
export function PagedRows({ dataset }: { dataset: Dataset }) {
  const { cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const [active, setActive] = useState<Cell | null>(null);
  const [opened, setOpened] = useState<Cell | null>(null);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...rowsQuery(dataset.id, dataset.revision, cursor),
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(
    () =>
      (data?.items ?? []).map(({ values }) =>
        newRow(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, cellText(value)]))),
      ),
    [data],
  );
  const first = data?.items[0]?.position ?? 0;
  const next = data?.next_cursor ?? undefined;
  const go = (to: string | undefined) => {
    setActive(null);
    void navigate({ search: (before) => compact({ ...before, cursor: to }), resetScroll: false });
  };
  const openedRow = opened && rows[opened.row];
  return (
    <Panel flush>
      <Text size="sm" px="md" py="sm" className={classes.dim} role="note">
        {dataset.row_count > MOST_EDITED
          ? `More than ${MOST_EDITED} rows are shown here, not edited.`
          : "These rows are too long to be edited here."}{" "}
        To change them,{" "}
        <Anchor size="sm" href={exportPath(dataset, "csv")} download underline="always">
          download the CSV
        </Anchor>{" "}
        and{" "}
        <TextLink
          to="/datasets/$datasetId"
          params={{ datasetId: dataset.id }}
          search={{ tab: "upload" }}
          underline="always"
        >
          upload it again
        </TextLink>
        .
      </Text>
      {data === undefined ? (
        error ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : (
          <RowsLoading rows={12} />
        )
      ) : (
        <div style={{ opacity: isPlaceholderData ? 0.6 : 1 }}>
          <Grid
            label="Rows"
            columns={columnsShown(dataset.columns)}
            rows={rows}
            first={first}
            notes={NO_NOTES}
            active={active}
            onActive={setActive}
            onOpen={setOpened}
            edits={null}
          />
        </div>
      )}
      <Group justify="space-between" px="md" py="xs">
        <Text size="xs" c="var(--ody-text-dim)">
          {rows.length > 0 &&
            `Rows ${first} to ${first + rows.length - 1} of ${dataset.row_count.toLocaleString("en")}`}
        </Text>
        <PageTurns cursor={cursor} next={next} stale={isPlaceholderData} onTurn={go} />
      </Group>
      {opened && openedRow && (
        <CellDialog
          row={openedRow}
          number={first + opened.row}
          column={opened.column}
          onWrite={null}
          onClose={() => {
            setOpened(null);
            setActive({ ...opened });
          }}
        />
      )}
    </Panel>
  );
}
