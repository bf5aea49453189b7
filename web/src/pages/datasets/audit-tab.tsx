import { Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type Audit, auditQuery, type Dataset } from "~/api/datasets";
import { ToneBadge } from "~/components/badges";
import { Banner } from "~/components/banner";
import { counted } from "~/components/counted";
import { type Column, DataTable } from "~/components/data-table";
import { useMayChange } from "~/components/may-change";
import { Panel, TextLink } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { VIEWERS_READ } from "~/pages/datasets/viewers";

type Passed = Audit["passed"][number];
const MOST_SHOWN = 200;

const STRAW: Record<Passed["agents"][number], [name: string, means: string]> = {
  no_op: ["does nothing", "It answers “OK.” and calls no tool."],
  refuse_all: ["refuses all", "It turns every task down and calls no tool."],
  claims_done: ["only claims", "It says that everything asked for is done, and calls no tool."],
};

interface AuditTabProps {
  dataset: Dataset;
  unsaved: boolean;
}

/** Rows whose checks tell nothing: agents pass them that never call a tool. */
export function AuditTab({ dataset, unsaved }: AuditTabProps) {
  const mayChange = useMayChange();
  const {
    data: audit,
    error,
    refetch,
    isFetching,
  } = useQuery({ ...auditQuery(dataset.id, dataset.revision), enabled: mayChange });
  if (!mayChange) return <Empty title={VIEWERS_READ}>An audit is for members and admins.</Empty>;
  if (error && !audit) return <ErrorState error={error} retry={() => void refetch()} />;
  return (
    <Stack gap="md">
      <Text size="sm" maw={760}>
        Three agents that call no tool are graded by the checks of every row: one does nothing, one refuses
        all, one only claims to be done. A row that one of them passes cannot tell a good agent from a bad
        one.
        {unsaved && ` What is not saved yet is not looked at: this is revision ${dataset.revision}.`}
      </Text>
      {audit === undefined ? <RowsLoading rows={5} /> : <Report audit={audit} dataset={dataset} />}
      <Group>
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          Audit again
        </Button>
      </Group>
    </Stack>
  );
}

function Report({ audit, dataset }: { audit: Audit; dataset: Dataset }) {
  const sound = audit.passed_rows === 0;
  return (
    <>
      <Banner
        tone={sound ? "green" : "amber"}
        icon={sound ? <IconCircleCheck size={16} aria-hidden /> : <IconAlertTriangle size={16} aria-hidden />}
        label="What the audit found"
      >
        <Text size="sm" fw={600}>
          {sound
            ? "No row is passed without doing anything."
            : `${audit.passed_rows.toLocaleString("en")} of ${counted(audit.rows, "row")} can be passed without doing anything.`}
        </Text>
        {!sound && (
          <Text size="sm">
            A PASS on them says nothing, and it raises the pass rate. Add a check of what must have happened:{" "}
            <code>called</code> for a call, <code>ledger</code> for what the world holds in the end, or text
            that only an agent knows that has looked.
          </Text>
        )}
        {audit.judged_only > 0 && (
          <Text size="sm">
            {counted(audit.judged_only, "row has", "rows have")} a rubric and no checks: only a judge can
            tell.
          </Text>
        )}
        {audit.nothing_to_grade > 0 && (
          <Text size="sm">
            {counted(audit.nothing_to_grade, "row has", "rows have")} neither checks nor a rubric: runs of it
            are never a PASS, unless the organisation has a judge for every run.
          </Text>
        )}
      </Banner>
      {!sound && (
        <Panel title="Rows that are passed without doing anything" flush>
          <DataTable
            label="Rows that are passed without doing anything"
            columns={columnsOf(dataset)}
            rows={audit.passed.slice(0, MOST_SHOWN)}
            rowKey={({ row }) => row}
          />
          {audit.passed_rows > MOST_SHOWN && (
            <Text size="xs" c="var(--ody-text-dim)" px="md" py="xs">
              The first {MOST_SHOWN}. curl gives the first 10,000.
            </Text>
          )}
        </Panel>
      )}
    </>
  );
}

function columnsOf(dataset: Dataset): Column<Passed>[] {
  return [
    {
      id: "row",
      title: "Row",
      width: 70,
      render: ({ row }) => (
        <TextLink
          to="/datasets/$datasetId"
          params={{ datasetId: dataset.id }}
          search={{ row, column: "checks" }}
          aria-label={`Show the checks of row ${row}`}
        >
          {row}
        </TextLink>
      ),
    },
    {
      id: "task",
      title: "Task",
      render: ({ user_instruction }) => (
        <Text size="sm" lineClamp={2} title={user_instruction}>
          {user_instruction}
        </Text>
      ),
    },
    {
      id: "agents",
      title: "Passed by an agent that",
      width: 300,
      render: ({ agents, rubric }) => (
        <Stack gap={2}>
          <Group gap={4}>
            {agents.map((agent) => (
              <ToneBadge key={agent} tone="amber" help={STRAW[agent][1]}>
                {STRAW[agent][0]}
              </ToneBadge>
            ))}
          </Group>
          {rubric && (
            <Text size="xs" c="var(--ody-text-dim)">
              The judge may see it otherwise.
            </Text>
          )}
        </Stack>
      ),
    },
  ];
}
