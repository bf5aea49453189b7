import type { MatrixStatus, Progress } from "~/api/matrices";
import { duration } from "~/components/time";
import classes from "~/pages/matrices/matrices.module.css";

interface ProgressBarProps {
  progress: Progress;
  status: MatrixStatus;
}

/** "34 of 200 runs, about 12 s left" over a bar. */
export function ProgressBar({ progress, status }: ProgressBarProps) {
  const { planned, ended } = progress;
  return (
    <span className={classes.progress}>
      <span>
        {ended.toLocaleString("en")} of {planned.toLocaleString("en")}
        <span className={classes.dim}>
          {leftOf(progress, status)}
          {progress.missing > 0 && `, ${progress.missing} missing`}
        </span>
      </span>
      <span
        className={classes.track}
        role="progressbar"
        aria-label="Runs that have ended"
        aria-valuemin={0}
        aria-valuemax={planned}
        aria-valuenow={ended}
      >
        <span data-status={status} style={{ width: `${(ended / Math.max(planned, 1)) * 100}%` }} />
      </span>
    </span>
  );
}

function leftOf({ seconds_left }: Progress, status: MatrixStatus): string {
  if (status !== "running" || seconds_left === null) return "";
  return `, about ${duration(Math.max(1, Math.ceil(seconds_left)) * 1_000).replace(".0 s", " s")} left`;
}
