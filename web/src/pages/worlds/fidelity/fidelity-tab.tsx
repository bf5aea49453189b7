import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { IconDownload, IconGauge } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { asProblem } from "~/api/problem";
import { fidelityQuery, type World } from "~/api/worlds";
import { CommandLine } from "~/components/command-line";
import { counted } from "~/components/counted";
import { type Column, DataTable } from "~/components/data-table";
import { downloadJson } from "~/components/download";
import { Panel } from "~/components/page";
import { ShareBar } from "~/components/share";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { Ago } from "~/components/time";
import classes from "~/pages/worlds/fidelity/fidelity.module.css";
import { type ReportRow, readReport, SHARES, type ShareName } from "~/pages/worlds/fidelity/report";

const TITLES: Record<ShareName, [title: string, about: string]> = {
  responses: ["Responses", "of all calls"],
  reads: ["Reads", "of the calls that changed nothing, of tools that touch the world"],
  changes: ["Changes", "of the calls by which either side changed the world"],
  refusals: ["Refusals", "of the calls that either side refused"],
  refusal_texts: ["Same words", "of the calls that both refused"],
};

/** How often this world answers as the real back end did. */
export function FidelityTab({ world }: { world: World }) {
  const measured = world.fidelity !== null;
  const { data, error, refetch } = useQuery({ ...fidelityQuery(world.id), enabled: measured });
  const report = readReport(data);
  return (
    <Stack gap="md">
      {!measured || (error && asProblem(error).status === 404) ? (
        <Panel>
          <Empty icon={<IconGauge size={32} stroke={1.5} />} title="Not measured yet">
            Replay calls that your real back end answered, and see for each tool how often this world gives
            the same response and makes the same change.
          </Empty>
        </Panel>
      ) : error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : report ? (
        <Panel
          title={`Equal to the recorded back end${report.total.calls === null ? "" : `, ${counted(report.total.calls, "call")}`}`}
          flush
          tools={
            world.fidelity && (
              <Text size="xs" c="var(--ody-text-dim)">
                measured <Ago at={world.fidelity.measured_at} />
              </Text>
            )
          }
        >
          <dl className={classes.totals}>
            {SHARES.filter((name) => report.total.shares[name]).map((name) => (
              <div key={name}>
                <dt title={TITLES[name][1]}>{TITLES[name][0]}</dt>
                <dd>{share(report.total, name)}</dd>
              </div>
            ))}
          </dl>
          <DataTable
            label="Fidelity by tool"
            columns={COLUMNS}
            rows={report.tools}
            rowKey={({ tool }) => tool}
          />
          <Text size="xs" c="var(--ody-text-dim)" className={classes.note}>
            Shares with 95 % Wilson intervals: the band is the interval, the mark the share. Reads are{" "}
            {TITLES.reads[1]}; changes {TITLES.changes[1]}; refusals {TITLES.refusals[1]}.
          </Text>
        </Panel>
      ) : (
        <RowsLoading />
      )}
      <HowTo world={world} />
    </Stack>
  );
}

const COLUMNS: Column<ReportRow>[] = [
  {
    id: "tool",
    title: "Tool",
    render: ({ tool, stateless }) => (
      <span className={classes.tool}>
        {tool}
        {stateless && (
          <Text span size="xs" c="var(--ody-text-dim)">
            {" "}
            no state
          </Text>
        )}
      </span>
    ),
  },
  {
    id: "calls",
    title: "Calls",
    align: "right",
    width: 64,
    render: ({ calls }) => calls?.toLocaleString("en") ?? "–",
  },
  ...SHARES.map(
    (name): Column<ReportRow> => ({
      id: name,
      title: TITLES[name][0],
      width: 128,
      wide: name !== "responses",
      render: (row) => share(row, name),
    }),
  ),
];

function share(row: ReportRow, name: ShareName) {
  const of = row.shares[name];
  return of ? <ShareBar of={of} what={`${TITLES[name][0]} of ${row.tool}`} /> : "–";
}

const RECORDED = `{"task": "T-1", "calls": [
  {"tool": "get_order", "args": {"order_id": "ord_1"}, "response": {"order_id": "ord_1", "status": "pending"}},
  {"tool": "cancel_order", "args": {"order_id": "ord_2"}, "error": "Shipped orders cannot be cancelled."},
  {"tool": "update_order", "args": {"order_id": "ord_1", "status": "paid"}, "response": {"ok": true},
   "changes": [{"entity_type": "order", "id": "ord_1", "after": {"order_id": "ord_1", "status": "paid"}}]}
]}`;

function HowTo({ world }: { world: World }) {
  const state = `world-${world.id}-state.json`;
  return (
    <Panel title="How to measure it">
      <Stack gap="sm">
        <Text size="sm">
          Record calls of the real back end, one task a line of <Code>calls.jsonl</Code> (here broken into
          lines to read). Then replay them; <Code>--world {world.id}</Code> sends the result here, with
          ODYSSEY_URL and ODYSSEY_API_KEY set.
        </Text>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <pre className={classes.example} tabIndex={0}>
          {RECORDED}
        </pre>
        <CommandLine
          command={`odyssey fidelity --tools tools.json --state ${state} --calls calls.jsonl --world ${world.id}`}
        />
        <Group gap="xs">
          <Button
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => downloadJson(world.initial_state, state)}
          >
            {state}
          </Button>
          <Text size="xs" c="var(--ody-text-dim)">
            tools.json is the tools_schema of the agent.
          </Text>
        </Group>
      </Stack>
    </Panel>
  );
}
