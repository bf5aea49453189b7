import { Group, NativeSelect, Paper, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { memo, type ReactNode, useMemo, useState } from "react";
import { cassetteQuery } from "~/api/cassettes";
import { toneColor } from "~/components/badges";
import { Copy } from "~/components/copy";
import { money } from "~/components/money";
import { TextLink } from "~/components/page";
import { countsIn, intervalText, type MeasuredShare, percent } from "~/components/share";
import { Ago, duration } from "~/components/time";
import classes from "~/pages/run/header/header.module.css";
import { countCalls } from "~/pages/run/model/events";
import { useClock } from "~/pages/run/use-clock";
import type { RunView } from "~/pages/run/view";
import { SOURCES } from "~/theme/palette";

const route = getRouteApi("/app/runs/$runId");

/** What there is to know about a run before looking into it. */
export const HeaderStrip = memo(function HeaderStrip({ view }: { view: RunView }) {
  const { run } = view;
  return (
    <Paper withBorder bg="var(--ody-surface)" component="section" aria-label="About this run">
      <dl className={classes.facts}>
        <Fact label="Agent">
          <TextLink to="/agents/$agentId" params={{ agentId: run.agent_id }} className={classes.agent}>
            {run.agent_name}
          </TextLink>{" "}
          <Text span size="sm" c="var(--ody-text-dim)">
            v{run.agent_version}
          </Text>
        </Fact>
        <Fact label={run.started_at ? "Started" : "Created"}>
          <Ago at={run.started_at ?? run.created_at} />
        </Fact>
        <Fact label="Duration">
          <Duration view={view} />
        </Fact>
        <Fact label="Tool calls">
          <Calls view={view} />
        </Fact>
        {run.cost_usd > 0 && (
          <Fact label="Cost of grading">
            <span className={classes.number}>{money(run.cost_usd)}</span>
          </Fact>
        )}
        {view.attempts.length > 1 && (
          <Fact label="Attempt">
            <AttemptChoice view={view} />
          </Fact>
        )}
        {run.cassette && (
          <Fact label="Live tools">
            <ReplayedCassette cassette={run.cassette} />
          </Fact>
        )}
        <Fact label="Random seed">
          <Group gap={2} wrap="nowrap" component="span">
            <span className={classes.number}>{String(run.random_seed)}</span>
            <Copy value={String(run.random_seed)} what="random seed" />
          </Group>
        </Fact>
        {run.fidelity?.responses.share != null && (
          <Fact label="World answers">
            <Fidelity responses={{ ...run.fidelity.responses, share: run.fidelity.responses.share }} />
          </Fact>
        )}
        <Fact label="Task">
          <TextLink to="/runs" search={{ task_id: run.task_id }}>
            {run.task_id}
          </TextLink>
        </Fact>
        {run.batch_id !== null && (
          <Fact label="Batch">
            <TextLink to="/batches/$batchId" params={{ batchId: run.batch_id }}>
              {run.batch_id}
            </TextLink>
            {run.repeat > 1 && (
              <Text span size="sm" c="var(--ody-text-dim)">
                repeat {run.repeat}
              </Text>
            )}
          </Fact>
        )}
        {run.dataset_id !== null && run.row !== null && (
          <Fact label="Dataset">
            <TextLink
              to="/datasets/$datasetId"
              params={{ datasetId: run.dataset_id }}
              search={{ row: run.row }}
            >
              {run.dataset_id}, row {run.row}
            </TextLink>
          </Fact>
        )}
      </dl>
      <Instruction text={String(run.odyssey_seed.user_instruction ?? run.user_instruction)} />
    </Paper>
  );
});

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What the passthrough tools are played from instead of being asked. */
function ReplayedCassette({ cassette }: { cassette: NonNullable<RunView["run"]["cassette"]> }) {
  const { data: found } = useQuery({ ...cassetteQuery(cassette.id), retry: false });
  const missing = cassette.on_miss === "fail" ? "a miss fails" : "a miss is asked live and added";
  return (
    <>
      <span>from </span>
      <TextLink to="/cassettes/$cassetteId" params={{ cassetteId: cassette.id }} underline="always">
        {found?.name ?? "a cassette"}
      </TextLink>{" "}
      <Text span size="sm" c="var(--ody-text-dim)">
        {cassette.match}, {missing}
      </Text>
    </>
  );
}

/** How far the simulated answers can be trusted: measured for the state this run began with. */
function Fidelity({ responses }: { responses: MeasuredShare & { share: number } }) {
  const counts = countsIn(responses);
  return (
    <Tooltip label="Measured by replaying calls of the real back end on the world this run began with">
      <span className={classes.number}>
        {percent(responses.share)} like the recorded back end{" "}
        <Text span size="xs" c="var(--ody-text-dim)">
          {intervalText(responses.interval)}
          {counts && `, ${counts}`}
        </Text>
      </span>
    </Tooltip>
  );
}

function Duration({ view: { run, running } }: { view: RunView }) {
  const now = useClock(running && run.started_at !== null);
  if (run.started_at === null) return <>{running ? "waiting for a place" : "not started"}</>;
  const end = run.finished_at ? Date.parse(run.finished_at) : (now ?? Date.now());
  return <span className={classes.number}>{duration(Math.max(end - Date.parse(run.started_at), 0))}</span>;
}

function Calls({ view }: { view: RunView }) {
  const { sources, refused, unanswered, total } = useMemo(() => countCalls(view.events), [view.events]);
  if (total === 0)
    return <>{view.trace.state === "loading" && view.run.status !== "pending" ? "…" : "none"}</>;
  return (
    <Group gap={10} component="span">
      {SOURCES.filter((source) => sources[source] > 0).map((source) => (
        <Count key={source} color={toneColor(source)} count={sources[source]} what={source} />
      ))}
      {unanswered > 0 && (
        <Count color={toneColor("transport_error")} count={unanswered} what="sent without an answer" />
      )}
      {refused > 0 && <Count color={toneColor("error")} count={refused} what="refused" />}
    </Group>
  );
}

function Count({ color, count, what }: { color: string; count: number; what: string }) {
  return (
    <span className={classes.count}>
      <span className={classes.dot} style={{ background: color }} aria-hidden />
      <span className={classes.number}>{count.toLocaleString("en")}</span>{" "}
      <span style={{ color }}>{what}</span>
    </span>
  );
}

function AttemptChoice({ view }: { view: RunView }) {
  const navigate = route.useNavigate();
  const outcomes = new Map(view.run.attempts.map((one) => [one.attempt, one.outcome ?? "running"]));
  return (
    <NativeSelect
      size="xs"
      aria-label="Attempt"
      value={view.attempt}
      data={view.attempts.map((attempt) => ({
        value: String(attempt),
        label: `${attempt} of ${view.attempts.length}: ${outcomes.get(attempt) ?? "?"}`,
      }))}
      onChange={(event) => {
        const attempt = Number(event.currentTarget.value);
        void navigate({ search: ({ step: _, ...rest }) => ({ ...rest, attempt }), resetScroll: false });
      }}
    />
  );
}

const SHORT = 240;

function Instruction({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const long = text.length > SHORT || text.includes("\n");
  return (
    <div className={classes.instruction}>
      <Text size="sm" className={whole ? classes.whole : classes.cut}>
        {text}
      </Text>
      {long && (
        <UnstyledButton className={classes.more} onClick={() => setWhole(!whole)} aria-expanded={whole}>
          {whole ? "less" : "whole instruction"}
        </UnstyledButton>
      )}
    </div>
  );
}
