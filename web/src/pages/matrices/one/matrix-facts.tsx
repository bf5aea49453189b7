import { DISTANCE_VERSION, type Matrix } from "~/api/matrices";
import { counted } from "~/components/counted";
import { deliveryName } from "~/components/evals/names";
import { Fact, Facts } from "~/components/facts";
import { TextLink } from "~/components/page";
import { Ago, Elapsed } from "~/components/time";
import classes from "~/pages/matrices/matrices.module.css";
import { LEAST_FRESH } from "~/pages/matrices/new/size";
import { isFromBefore } from "~/pages/matrices/one/from-before";
import { ProgressBar } from "~/pages/matrices/progress-bar";

/** The runs that were planned from the start. */
export function plannedRuns({ progress, confirmation }: Matrix): number {
  return progress.planned - (confirmation?.runs ?? 0);
}

/** What becomes of the second look; nothing of a matrix from before there was one. */
function freshWords(matrix: Matrix): string | null {
  const { confirmation, confirm, confirm_runs_max, status } = matrix;
  if (confirmation != null) {
    const { cells, runs, runs_per_cell } = confirmation;
    return `and ${counted(runs, "fresh run")}: ${counted(cells, "cell")} run again, ${runs_per_cell} times each, with baselines`;
  }
  if (isFromBefore(matrix)) return null;
  if (!confirm) return "and no fresh runs: none were asked for";
  if (confirm_runs_max < LEAST_FRESH) {
    return `and no fresh runs: ${confirm_runs_max} are allowed, and one cell takes ${LEAST_FRESH}`;
  }
  if (status === "completed") return "and no fresh runs: no cell was run again";
  return `and up to ${counted(confirm_runs_max, "fresh run")} once these have ended`;
}

export function MatrixFacts({ matrix }: { matrix: Matrix }) {
  const fresh = freshWords(matrix);
  return (
    <Facts label="About this matrix">
      <Fact label="Agent">
        <TextLink to="/agents/$agentId" params={{ agentId: matrix.agent_id }} fw={600}>
          {matrix.agent_name}
        </TextLink>
        <span className={classes.dim}>v{matrix.agent_version}</span>
      </Fact>
      <Fact label="Runs">
        <ProgressBar progress={matrix.progress} status={matrix.status} />
      </Fact>
      {fresh !== null && (
        <Fact label="Planned">
          {counted(plannedRuns(matrix), "run")} <span className={classes.dim}>{fresh}</span>
        </Fact>
      )}
      <Fact label="Each cell">
        {counted(matrix.repeats, "run")} against {counted(matrix.baseline_repeats, "baseline")}
        {matrix.placebo && <span className={classes.dim}>and a placebo</span>}
      </Fact>
      <Fact label="Dose">
        {matrix.dose}
        <span className={classes.dim}>by {deliveryName(matrix.delivery, matrix.step)}</span>
      </Fact>
      <Fact label="Started">
        <Ago at={matrix.created_at} />
      </Fact>
      <Fact label="Took">
        <Elapsed
          from={matrix.created_at}
          to={matrix.status === "running" ? null : (matrix.finished_at ?? matrix.created_at)}
        />
      </Fact>
      {matrix.distance_version !== DISTANCE_VERSION && (
        <Fact label="Distance">
          version {matrix.distance_version} <span className={classes.dim}>an earlier one</span>
        </Fact>
      )}
      {matrix.rerun_of !== null && (
        <Fact label="Same selection as">
          <TextLink to="/matrices/$matrixId" params={{ matrixId: matrix.rerun_of }}>
            an earlier matrix
          </TextLink>
        </Fact>
      )}
      <Fact label="All of it">
        <TextLink to="/evals/runs" search={{ matrix_id: matrix.id }}>
          its runs
        </TextLink>
      </Fact>
    </Facts>
  );
}
