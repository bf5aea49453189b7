import type { Batch } from "~/api/batches";
import { StatusBadge } from "~/components/badges";
import { gradedRuns } from "~/components/batches/outcomes";
import { TextLink } from "~/components/page";
import { countsOf, intervalText, percent } from "~/components/share";
import classes from "~/pages/datasets/datasets.module.css";

/** "Batch 12: 87 % passed [80–92], 52 of 60" */
export function LastBatch({ batch }: { batch: Batch | undefined }) {
  if (batch === undefined) return <span className={classes.dim}>none</span>;
  return (
    <span>
      <TextLink to="/batches/$batchId" params={{ batchId: batch.id }} underline="always">
        Batch {batch.id}
      </TextLink>{" "}
      {batch.pass_rate ? (
        <span className={classes.nowrap}>
          {percent(batch.pass_rate.share)} passed{" "}
          <span className={classes.dim}>
            {intervalText(batch.pass_rate.interval)}, {countsOf(batch.verdicts.PASS, gradedRuns(batch))}
          </span>
        </span>
      ) : (
        <StatusBadge status={batch.status} />
      )}
    </span>
  );
}
