import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import type { Batch, BatchRow } from "~/api/batches";
import { ToneBadge } from "~/components/badges";
import { counted } from "~/components/counted";
import { type Column, DataTable } from "~/components/data-table";
import { failureMode } from "~/components/failure-modes";
import { ListRows } from "~/components/list/list-page";
import { NothingFits } from "~/components/list/nothing-fits";
import { ListFooter } from "~/components/list/page-turns";
import { Panel } from "~/components/page";
import classes from "~/pages/batches/batches.module.css";
import { RunSquares } from "~/pages/batches/run-squares";
import { MOST_FILTERED, useBatchRows } from "~/pages/batches/use-batch-rows";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/batches/$batchId");

const COLUMNS: Column<BatchRow>[] = [
  { id: "row", title: "Row", width: 56, render: ({ row }) => row },
  {
    id: "task",
    title: "Task",
    width: "38%",
    render: ({ user_instruction }) => (
      <Text size="sm" lineClamp={2} title={user_instruction}>
        {user_instruction}
      </Text>
    ),
  },
  {
    id: "expected",
    title: "Expected",
    width: 100,
    wide: true,
    render: ({ expected_outcome }) =>
      expected_outcome === "refusal" ? <ToneBadge tone="amber">refusal</ToneBadge> : expected_outcome,
  },
  { id: "runs", title: "Runs", render: ({ runs }) => <RunSquares runs={runs} /> },
  {
    id: "passed",
    title: "Passed",
    width: 84,
    align: "right",
    render: ({ passes, fails }) => (passes + fails === 0 ? "–" : `${passes} of ${passes + fails}`),
  },
  {
    id: "why",
    title: "Why not",
    width: "18%",
    wide: true,
    render: ({ runs }) => (
      <Text size="xs" c="var(--ody-text-dim)">
        {[...new Set(runs.flatMap(({ failure_mode }) => failure_mode ?? []))]
          .map((mode) => failureMode(mode).words)
          .join(", ")}
      </Text>
    ),
  },
];

/** What became of every task, with all its repeats. */
export function RowsPanel({ batch }: { batch: Batch }) {
  const { show, mode, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useBatchRows(batch, cursor, { show, mode });
  const filtered = show !== undefined || mode !== undefined;
  const change = (next: {
    show?: "failing" | undefined;
    mode?: string | undefined;
    cursor?: string | undefined;
  }) =>
    void navigate({
      search: (before) => compact({ ...before, cursor: undefined, ...next }),
      resetScroll: false,
    });
  return (
    <Panel
      title="Tasks"
      flush
      tools={
        <Group gap="xs">
          {mode !== undefined && (
            <Button size="compact-xs" variant="light" onClick={() => change({ mode: undefined })}>
              {failureMode(mode).words} only ×
            </Button>
          )}
          <SegmentedControl
            size="xs"
            aria-label="Which tasks"
            value={show ?? "all"}
            onChange={(next) => change({ show: next === "failing" ? "failing" : undefined })}
            data={[
              { value: "all", label: "All" },
              { value: "failing", label: "With a failing run" },
            ]}
          />
        </Group>
      }
    >
      <ListRows
        rows={list.rows}
        error={list.error}
        retry={list.retry}
        empty={
          <NothingFits
            title={filtered ? "No task fits" : "No tasks"}
            onShowAll={filtered ? () => change({ show: undefined, mode: undefined }) : undefined}
          >
            {filtered ? "None of its runs has failed in this way so far." : "The batch has no rows."}
          </NothingFits>
        }
      >
        <div className={list.stale ? classes.stale : undefined}>
          <DataTable
            label="Tasks"
            columns={COLUMNS}
            rows={list.rows ?? []}
            rowKey={({ task_id }) => task_id}
          />
        </div>
      </ListRows>
      {list.partial && (
        <Text size="xs" c="var(--ody-text-dim)" px="md" py="xs">
          Only the first {MOST_FILTERED.toLocaleString("en")} tasks were looked at. The export has all of
          them.
        </Text>
      )}
      {!filtered && (
        <ListFooter
          cursor={cursor}
          next={list.next}
          stale={list.stale}
          onTurn={(to) => change({ cursor: to })}
        >
          {counted(list.rows?.length ?? 0, "task")} on this page
        </ListFooter>
      )}
    </Panel>
  );
}
