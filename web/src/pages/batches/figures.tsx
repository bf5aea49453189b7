import { Stack, Text, Tooltip } from "@mantine/core";
import type { Batch } from "~/api/batches";
import bars from "~/components/batches/batches.module.css";
import { gradedRuns, leftOutRuns } from "~/components/batches/outcomes";
import { counted } from "~/components/counted";
import { failureMode } from "~/components/failure-modes";
import { Panel, TextLink } from "~/components/page";
import { countsOf, intervalText, percent, ShareBar } from "~/components/share";
import classes from "~/pages/batches/batches.module.css";
import { PassCurve } from "~/pages/batches/pass-curve";

/** How good, how reliable, and why not better. */
export function Figures({ batch }: { batch: Batch }) {
  return (
    <div className={classes.figures}>
      <Panel title="Pass rate" style={{ minWidth: 0 }}>
        <PassRate batch={batch} />
      </Panel>
      <Panel title="pass^k: k runs in a row all pass" style={{ minWidth: 0 }}>
        <PassCurve points={batch.pass_k} repeats={batch.repeats} />
      </Panel>
      <Panel title="Why runs did not pass" style={{ minWidth: 0 }}>
        <FailureModes batch={batch} />
      </Panel>
    </div>
  );
}

function PassRate({ batch }: { batch: Batch }) {
  const { pass_rate, verdicts } = batch;
  if (pass_rate === null) {
    return (
      <Text size="sm">
        Nothing is graded yet. A run is graded by the checks and the rubric of its row, or by the judge.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <div>
        <span className={classes.big}>{percent(pass_rate.share)}</span>{" "}
        <Text span c="var(--ody-text-dim)">
          {intervalText(pass_rate.interval)}
        </Text>
      </div>
      <ShareBar of={pass_rate} what="Pass rate" wordless />
      <Text size="xs" c="var(--ody-text-dim)">
        {countsOf(verdicts.PASS, gradedRuns(batch))} graded runs passed. <LeftOut batch={batch} /> Every task
        weighs the same; 95 % of such intervals hold the true rate.
      </Text>
    </Stack>
  );
}

function LeftOut({ batch }: { batch: Batch }) {
  const count = leftOutRuns(batch);
  if (count === 0) return null;
  return <b>Left out: {counted(count, "run")} without a verdict, which count neither way.</b>;
}

function FailureModes({ batch }: { batch: Batch }) {
  const modes = Object.entries(batch.failure_modes).sort(([, a], [, b]) => b - a);
  const most = modes[0]?.[1] ?? 1;
  if (modes.length === 0) {
    return <Text size="sm">{batch.verdicts.FAIL === 0 ? noneFailed(batch) : "No reason was given."}</Text>;
  }
  return (
    <ul className={classes.modes} aria-label="Failure modes">
      {modes.map(([mode, count]) => (
        <li key={mode} className={classes.mode}>
          <Tooltip label={failureMode(mode).means} multiline maw={320}>
            <TextLink
              to="/batches/$batchId"
              params={{ batchId: batch.id }}
              search={{ mode }}
              resetScroll={false}
              c="var(--ody-text)"
            >
              {failureMode(mode).words}
            </TextLink>
          </Tooltip>
          <b className={classes.number}>{count.toLocaleString("en")}</b>
          <span className={`${bars.bar} ${classes.modeBar}`} data-thin aria-hidden>
            <span style={{ width: `${(count / most) * 100}%`, background: "var(--band-red)" }} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function noneFailed(batch: Batch): string {
  const graded = gradedRuns(batch);
  return graded === 0 ? "No run is graded." : `None of ${counted(graded, "graded run")} has failed.`;
}
