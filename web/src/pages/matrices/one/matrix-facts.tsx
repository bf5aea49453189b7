import type { Matrix } from "~/api/matrices";
import { counted } from "~/components/counted";
import { deliveryName } from "~/components/evals/names";
import { Fact, Facts } from "~/components/facts";
import { TextLink } from "~/components/page";
import { Ago, Elapsed } from "~/components/time";
import classes from "~/pages/matrices/matrices.module.css";
import { ProgressBar } from "~/pages/matrices/progress-bar";

export function MatrixFacts({ matrix }: { matrix: Matrix }) {
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
