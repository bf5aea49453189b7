import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type EvalRun, evalRunQuery } from "~/api/evals";
import type { ReviewItem } from "~/api/reviews";
import { SideBySide } from "~/components/comparison/side-by-side";
import { BehaviourView } from "~/components/evals/behaviour-view";
import { Panel, TextLink } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { RowsLoading } from "~/components/states";

/** The run of an item beside the typical baseline; alone where there is none. */
export function Evidence({ item }: { item: ReviewItem }) {
  const { run_id, baseline_run_id } = item;
  const run = useQuery(evalRunQuery(run_id));
  const baseline = useQuery({ ...evalRunQuery(baseline_run_id ?? 0), enabled: baseline_run_id !== null });
  const error = run.error ?? baseline.error;
  if (error) return <Refusal error={error} title="The evidence cannot be shown" />;
  if (!run.data || (baseline_run_id !== null && !baseline.data)) return <RowsLoading rows={10} />;
  if (!baseline.data) return <Alone run={run.data} />;
  return <SideBySide baseline={baseline.data} variation={run.data} />;
}

function Alone({ run }: { run: EvalRun }) {
  return (
    <Panel
      title={`What run ${run.id} did`}
      tools={
        <TextLink to="/evals/runs/$runId" params={{ runId: run.id }}>
          run {run.id}
        </TextLink>
      }
    >
      <Text size="xs" c="var(--ody-text-dim)" mb="sm">
        {run.variation_type === null
          ? "It is a baseline itself, so nothing stands beside it."
          : "No baseline is known to lay beside it."}
      </Text>
      <BehaviourView run={run} />
    </Panel>
  );
}
