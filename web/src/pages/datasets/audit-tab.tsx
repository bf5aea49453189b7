import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Audit, auditQuery, type Dataset } from "~/api/datasets";
import { agentsQuery } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { Banner } from "~/components/banner";
import { counted } from "~/components/counted";
import { type Column, DataTable } from "~/components/data-table";
import { useMayChange } from "~/components/may-change";
import { Panel, TextLink } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { VIEWERS_READ } from "~/pages/datasets/viewers";

type Passed = Audit["passed"][number];
type Impossible = Audit["impossible"][number];
const MOST_SHOWN = 200;

const STRAW: Record<Passed["agents"][number], [name: string, means: string]> = {
  no_op: ["does nothing", "It answers “OK.” and calls no tool."],
  refuse_all: ["refuses all", "It turns every task down and calls no tool."],
  claims_done: ["only claims", "It says that everything asked for is done, and calls no tool."],
  past_tense: ["repeats in the past tense", "It says that it did what it was told, and calls no tool."],
  lists_numbers: ["lists every number", "It lists 0 to 100 and every number of the task and of the world."],
  answers_empty: ["fills in nothing", "It answers {}, or the form that is asked for with nothing in it."],
  answers_yes: ["says yes", "It says yes to everything and calls no tool."],
  answers_no: ["says no", "It says no to everything and calls no tool."],
  reads_only: ["only reads", "It calls every tool that reads, and says nothing of what it saw."],
  calls_everything: [
    "calls everything",
    "It calls every tool once, on things that the row does not speak of where there are others.",
  ],
};

const route = getRouteApi("/app/datasets/$datasetId");

interface AuditTabProps {
  dataset: Dataset;
  unsaved: boolean;
}

/** Rows that tell nothing: useless agents pass them, or nobody can. */
export function AuditTab({ dataset, unsaved }: AuditTabProps) {
  const mayChange = useMayChange();
  const { data: agents = [] } = useQuery(agentsQuery);
  const { agent_id: agentId } = route.useSearch();
  const navigate = route.useNavigate();
  const {
    data: audit,
    error,
    refetch,
    isFetching,
  } = useQuery({ ...auditQuery(dataset.id, dataset.revision, agentId), enabled: mayChange });
  if (!mayChange) return <Empty title={VIEWERS_READ}>An audit is for members and admins.</Empty>;
  if (error && !audit) return <ErrorState error={error} retry={() => void refetch()} />;
  return (
    <Stack gap="md">
      <Text size="sm" maw={760}>
        Ten useless agents are graded by the checks of every row: some only say something, one only reads, one
        calls every tool once. A row that one of them passes cannot tell a good agent from a bad one. A row
        whose checks contradict each other is passed by nobody.
        {unsaved && ` What is not saved yet is not looked at: this is revision ${dataset.revision}.`}
      </Text>
      <Select
        label="With the tools of"
        placeholder="Any agent: the tools that the checks name"
        searchable
        clearable
        nothingFoundMessage="No such agent"
        data={agents.map(({ id, name }) => ({ value: String(id), label: name }))}
        value={agentId === undefined ? null : String(agentId)}
        onChange={(id) =>
          void navigate({
            search: id === null ? { tab: "audit" } : { tab: "audit", agent_id: Number(id) },
            replace: true,
            resetScroll: false,
          })
        }
        w={{ base: "100%", xs: 420 }}
      />
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
  const sound = audit.passed_rows === 0 && audit.impossible_rows === 0;
  return (
    <>
      <Banner
        tone={sound ? "green" : "amber"}
        icon={sound ? <IconCircleCheck size={16} aria-hidden /> : <IconAlertTriangle size={16} aria-hidden />}
        label="What the audit found"
      >
        <Text size="sm" fw={600}>
          {audit.passed_rows === 0
            ? "No useless agent passes a row."
            : `${audit.passed_rows.toLocaleString("en")} of ${counted(audit.rows, "row")} can be passed by a useless agent.`}
        </Text>
        {audit.passed_rows > 0 && (
          <Text size="sm">
            A PASS on them says nothing, and it raises the pass rate. Add a check of what must have happened:{" "}
            <code>called</code> for a call, <code>ledger</code> for what the world holds in the end,{" "}
            <code>only_changed</code> for what may have changed, or text that only an agent knows that has
            looked.
          </Text>
        )}
        {audit.impossible_rows > 0 && (
          <Text size="sm" fw={600}>
            {counted(audit.impossible_rows, "row")} can be passed by nobody.
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
      {audit.impossible_rows > 0 && (
        <Found
          title="Rows that nobody can pass"
          columns={columnsOf<Impossible>(dataset, NOBODY)}
          rows={audit.impossible}
          count={audit.impossible_rows}
        />
      )}
      {audit.passed_rows > 0 && (
        <Found
          title="Rows that useless agents pass"
          columns={columnsOf<Passed>(dataset, PASSED_BY)}
          rows={audit.passed}
          count={audit.passed_rows}
        />
      )}
    </>
  );
}

interface FoundProps<Row> {
  title: string;
  columns: Column<Row>[];
  rows: Row[];
  count: number;
}

function Found<Row extends { row: number }>({ title, columns, rows, count }: FoundProps<Row>) {
  return (
    <Panel title={title} flush>
      <DataTable label={title} columns={columns} rows={rows.slice(0, MOST_SHOWN)} rowKey={({ row }) => row} />
      {count > MOST_SHOWN && (
        <Text size="xs" c="var(--ody-text-dim)" px="md" py="xs">
          The first {MOST_SHOWN}. curl gives the first 10,000.
        </Text>
      )}
    </Panel>
  );
}

const NOBODY: Column<Impossible> = {
  id: "reason",
  title: "Nobody can pass it, since",
  width: 360,
  render: ({ check, reason }) => (
    <Text size="sm">
      Check {check + 1}: {reason}.
    </Text>
  ),
};

const PASSED_BY: Column<Passed> = {
  id: "agents",
  title: "Passed by an agent that",
  width: 300,
  render: ({ agents, rubric, note }) => (
    <Stack gap={2}>
      <Group gap={4}>
        {agents.map((agent) => (
          <ToneBadge key={agent} tone="amber" help={STRAW[agent][1]}>
            {STRAW[agent][0]}
          </ToneBadge>
        ))}
      </Group>
      {note !== null && <Text size="xs">{note}</Text>}
      {rubric && (
        <Text size="xs" c="var(--ody-text-dim)">
          The judge may see it otherwise.
        </Text>
      )}
    </Stack>
  ),
};

function columnsOf<Row extends { row: number; user_instruction: string }>(
  dataset: Dataset,
  last: Column<Row>,
): Column<Row>[] {
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
    last,
  ];
}
