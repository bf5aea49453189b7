import { Box, Button, Group, Select, Text } from "@mantine/core";
import { IconArrowsExchange } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Batch, batchQuery, type ComparedRow, type Comparison, comparisonQuery } from "~/api/batches";
import { type Tone, ToneBadge } from "~/components/badges";
import { counted } from "~/components/counted";
import { type Column, DataTable } from "~/components/data-table";
import { ListFooter } from "~/components/list/page-turns";
import { Page, Panel, TextLink } from "~/components/page";
import { ShareBar } from "~/components/share";
import { Empty, ErrorState, PageLoading } from "~/components/states";
import { kindredQuery, nameOf } from "~/pages/batches/batch-actions";
import classes from "~/pages/batches/batches.module.css";
import { Difference, points } from "~/pages/batches/difference";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/batches/$batchId/compare");
const MOST_OFFERED = 200;

/** Two batches side by side: A is what B is held against. */
export function ComparePage() {
  const { batchId } = route.useParams();
  const { with: other, cursor } = route.useSearch();
  const { data: batch, error, refetch } = useQuery(batchQuery(batchId));
  const compared = useQuery({
    ...comparisonQuery(batchId, other ?? 0, cursor),
    enabled: other !== undefined,
  });
  if (error && !batch) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!batch) return <PageLoading />;
  if (other !== undefined && compared.error && !compared.data) {
    return <ErrorState error={compared.error} retry={() => void compared.refetch()} />;
  }
  const found = other === undefined ? undefined : compared.data;
  return (
    <Page
      title={other === undefined ? `Batch ${batchId} compared` : `Batch ${batchId} and batch ${other}`}
      trail={[
        <TextLink key="batches" to="/batches">
          Batches
        </TextLink>,
        <TextLink key="batch" to="/batches/$batchId" params={{ batchId }}>
          Batch {batchId}
        </TextLink>,
      ]}
      curl={
        other === undefined
          ? [{ what: "This batch", path: `/api/batches/${batchId}` }]
          : [{ what: "This comparison", path: `/api/batches/${batchId}/compare?with=${other}` }]
      }
    >
      <Choice batch={batch} other={other} />
      {other === undefined ? (
        <Empty title="Compare it with what?">Choose the other batch: one of the same rows.</Empty>
      ) : found === undefined ? (
        <PageLoading />
      ) : (
        <Compared found={found} stale={compared.isPlaceholderData} />
      )}
    </Page>
  );
}

function Choice({ batch, other }: { batch: Batch; other: number | undefined }) {
  const navigate = route.useNavigate();
  const { data } = useQuery(kindredQuery(batch, MOST_OFFERED));
  const batches = data?.items ?? [];
  const options = batches.map((each) => ({ value: String(each.id), label: nameOf(each) }));
  for (const id of [batch.id, other]) {
    if (id !== undefined && !batches.some((each) => each.id === id)) {
      options.push({ value: String(id), label: `Batch ${id}` });
    }
  }
  function go(a: number, b: number | undefined) {
    void navigate({
      to: "/batches/$batchId/compare",
      params: { batchId: a },
      search: compact({ with: b }),
      resetScroll: false,
    });
  }
  return (
    <Panel>
      <Group gap="sm" align="flex-end">
        <Select
          size="xs"
          label="A, what it is held against"
          data={options.filter(({ value }) => value !== String(other))}
          value={String(batch.id)}
          onChange={(id) => id !== null && go(Number(id), other)}
          allowDeselect={false}
          searchable
          w={{ base: "100%", xs: 320 }}
        />
        <Button
          variant="default"
          size="xs"
          leftSection={<IconArrowsExchange size={14} />}
          disabled={other === undefined}
          onClick={() => other !== undefined && go(other, batch.id)}
        >
          Swap
        </Button>
        <Select
          size="xs"
          label="B"
          placeholder="Choose a batch"
          data={options.filter(({ value }) => value !== String(batch.id))}
          value={other === undefined ? null : String(other)}
          onChange={(id) => id !== null && go(batch.id, Number(id))}
          allowDeselect={false}
          searchable
          w={{ base: "100%", xs: 320 }}
        />
      </Group>
    </Panel>
  );
}

function Compared({ found, stale }: { found: Comparison; stale: boolean }) {
  const { cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const go = (to: string | undefined) =>
    void navigate({ search: (before) => compact({ ...before, cursor: to }), resetScroll: false });
  const graded = found.regressions + found.improvements + found.same;
  const shared = graded + found.ungraded;
  return (
    <>
      <div className={classes.sides}>
        <Side name="A" side={found.a} rows={graded} />
        <Side name="B" side={found.b} rows={graded} />
      </div>
      <Panel title="Difference, B less A">
        <Difference of={found.difference} />
      </Panel>
      <Panel
        title="Tasks, the greatest regressions first"
        flush
        tools={
          <Text size="xs" c="var(--ody-text-dim)" role="status">
            {counted(found.regressions, "regression")}, {counted(found.improvements, "improvement")},{" "}
            {found.same} the same{found.ungraded > 0 && `, ${found.ungraded} not graded in both`}
          </Text>
        }
      >
        {shared === 0 ? (
          <Empty title="No row in common">
            Rows are the same when they say the same. These two batches share none.
          </Empty>
        ) : (
          <div className={stale ? classes.stale : undefined}>
            <DataTable
              label="Compared tasks"
              columns={columnsOf(found.a.batch, found.b.batch)}
              rows={found.rows}
              rowKey={({ row }) => row}
            />
          </div>
        )}
        {found.only_in_a + found.only_in_b > 0 && (
          <Text size="xs" c="var(--ody-text-dim)" px="md" py="xs">
            Left out: {counted(found.only_in_a, "row")} only in A, {counted(found.only_in_b, "row")} only in
            B.
          </Text>
        )}
        <ListFooter cursor={cursor} next={found.next_cursor} stale={stale} onTurn={go} />
      </Panel>
    </>
  );
}

interface SideProps {
  name: string;
  side: Comparison["a"];
  /** In how many rows both are graded. */
  rows: number;
}

function Side({ name, side: { batch, pass_rate }, rows }: SideProps) {
  return (
    <Panel
      title={`${name}: ${batch.agent_name} v${batch.agent_version}`}
      tools={
        <TextLink to="/batches/$batchId" params={{ batchId: batch.id }}>
          Batch {batch.id}
        </TextLink>
      }
      style={{ minWidth: 0 }}
    >
      <Group gap="sm" align="flex-start" justify="space-between">
        {pass_rate ? (
          <ShareBar
            of={pass_rate}
            what={`Pass rate of ${name} in the rows that both have graded`}
            counts={`in ${counted(rows, "row")}`}
          />
        ) : (
          <Text size="sm">not graded</Text>
        )}
        <Text size="sm" component="div" miw={0}>
          <DatasetName batch={batch} />
        </Text>
      </Group>
    </Panel>
  );
}

function DatasetName({ batch }: { batch: Batch }) {
  return batch.dataset_id === null ? (
    counted(batch.planned_runs, "run")
  ) : (
    <>
      <TextLink to="/datasets/$datasetId" params={{ datasetId: batch.dataset_id }}>
        {batch.dataset_name}
      </TextLink>{" "}
      <span className={classes.dim}>
        revision {batch.revision}, {counted(batch.repeats, "repeat")}
      </span>
    </>
  );
}

const KINDS: Record<ComparedRow["kind"], [Tone, string]> = {
  regression: ["red", "regression"],
  improvement: ["green", "improvement"],
  same: ["neutral", "same"],
  ungraded: ["neutral", "not graded in both"],
};

function Kind({ kind }: Pick<ComparedRow, "kind">) {
  const [tone, words] = KINDS[kind];
  return <ToneBadge tone={tone}>{words}</ToneBadge>;
}

function columnsOf(a: Batch, b: Batch): Column<ComparedRow>[] {
  return [
    { id: "row", title: "Row", width: 56, render: ({ row }) => row },
    {
      id: "task",
      title: "Task",
      render: ({ user_instruction, kind }) => (
        <>
          <Text size="sm" lineClamp={2} title={user_instruction}>
            {user_instruction}
          </Text>
          <Box component="span" hiddenFrom="sm">
            <Kind kind={kind} />
          </Box>
        </>
      ),
    },
    {
      id: "a",
      title: "A passed",
      width: 90,
      align: "right",
      render: (row) => <Passes of={row.a} batch={a} name="A" />,
    },
    {
      id: "b",
      title: "B passed",
      width: 90,
      align: "right",
      render: (row) => <Passes of={row.b} batch={b} name="B" />,
    },
    {
      id: "difference",
      title: "Difference",
      width: 90,
      align: "right",
      wide: true,
      render: ({ difference }) => (difference === null ? "–" : points(difference)),
    },
    {
      id: "kind",
      title: "Change",
      width: 130,
      wide: true,
      render: ({ kind }) => <Kind kind={kind} />,
    },
  ];
}

/** Leads to the runs of this task in that batch. */
function Passes({ of, batch, name }: { of: ComparedRow["a"]; batch: Batch; name: string }) {
  const words = of.runs === 0 ? "–" : `${of.passes} of ${of.runs}`;
  return (
    <TextLink
      to="/runs"
      search={{ batch_id: batch.id, task_id: of.task_id }}
      className={classes.nowrap ?? ""}
      aria-label={`Runs of row ${of.row} in ${name}: ${words} passed`}
    >
      {words}
    </TextLink>
  );
}
