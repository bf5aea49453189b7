import { Stack, Text, Tooltip } from "@mantine/core";
import type { Batch } from "~/api/batches";
import { failureMode } from "~/components/failure-modes";
import { Panel, TextLink } from "~/components/page";
import { intervalText, percent, ShareBar } from "~/components/share";
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

function PassRate({ batch: { pass_rate, verdicts } }: { batch: Batch }) {
  const graded = verdicts.PASS + verdicts.FAIL;
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
        {verdicts.PASS.toLocaleString("en")} of {graded.toLocaleString("en")} graded runs passed. Every task
        weighs the same; 95 % of such intervals hold the true rate.
      </Text>
    </Stack>
  );
}

function FailureModes({ batch }: { batch: Batch }) {
  const modes = Object.entries(batch.failure_modes).sort(([, a], [, b]) => b - a);
  const most = modes[0]?.[1] ?? 1;
  if (modes.length === 0) {
    return <Text size="sm">{batch.verdicts.FAIL === 0 ? "No run has failed." : "No reason was given."}</Text>;
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
          <span className={classes.bar} data-thin aria-hidden>
            <span style={{ width: `${(count / most) * 100}%`, background: "var(--band-red)" }} />
          </span>
        </li>
      ))}
    </ul>
  );
}
