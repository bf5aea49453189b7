import { Stack } from "@mantine/core";
import { IconColumns2, IconTimeline } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type EvalRun, evalRunQuery } from "~/api/evals";
import { StatusBadge, ToneBadge } from "~/components/badges";
import { errorClass } from "~/components/error-classes";
import { BehaviourView } from "~/components/evals/behaviour-view";
import { FlagBadge, MatchedBadge, PlaceboBadge } from "~/components/evals/marks";
import { conditionOf } from "~/components/evals/names";
import { ButtonLink, Page, Panel, TextLink } from "~/components/page";
import { ErrorState, PageLoading } from "~/components/states";
import classes from "~/pages/evals/evals.module.css";
import { Asked } from "~/pages/evals/one/asked";
import { DeliveryEvidence } from "~/pages/evals/one/delivery-evidence";
import { EvalRunFacts } from "~/pages/evals/one/eval-run-facts";
import { Findings } from "~/pages/evals/one/findings";
import { SendToReview } from "~/pages/evals/one/send-to-review";
import { ShiftOfRun } from "~/pages/evals/one/shift-of-run";

const route = getRouteApi("/app/evals/runs/$runId");

export function EvalRunPage() {
  const { runId } = route.useParams();
  const { data: run, error, refetch } = useQuery(evalRunQuery(runId));
  if (run) return <Loaded key={runId} run={run} />;
  return error ? <ErrorState error={error} retry={() => void refetch()} /> : <PageLoading />;
}

function Loaded({ run }: { run: EvalRun }) {
  return (
    <Page
      title={`Eval run ${run.id}`}
      trail={[
        <TextLink key="runs" to="/evals/runs">
          Eval runs
        </TextLink>,
        <TextLink key="scenario" to="/evals/runs" search={{ scenario_id: run.scenario_id }}>
          {run.scenario_name}
        </TextLink>,
      ]}
      marks={<Marks run={run} />}
      actions={<Actions run={run} />}
      curl={requests(run)}
    >
      <EvalRunFacts run={run} />
      <div className={classes.page}>
        <Stack gap="md" miw={0}>
          <Panel title="What was asked">
            <Asked run={run} />
          </Panel>
          <Panel title="What it did">
            <BehaviourView run={run} />
          </Panel>
        </Stack>
        <Stack gap="md" miw={0}>
          <Panel title="What is expected" flush>
            <Findings run={run} />
          </Panel>
          {run.delivery !== null && (
            <Panel title="Did the text arrive?">
              <DeliveryEvidence run={run} />
            </Panel>
          )}
          {run.variation_type !== null && (
            <Panel title="Against the baselines">
              <ShiftOfRun run={run} />
            </Panel>
          )}
        </Stack>
      </div>
    </Page>
  );
}

function Marks({ run }: { run: EvalRun }) {
  return (
    <>
      <ToneBadge tone="neutral">{conditionOf({ ...run, placebo: false })}</ToneBadge>
      {run.placebo && <PlaceboBadge />}
      <StatusBadge status={run.status} />
      {run.error_class && (
        <ToneBadge tone={errorClass(run.error_class).tone} help={errorClass(run.error_class).means}>
          {run.error_class}
        </ToneBadge>
      )}
      {run.observed_at !== null && <MatchedBadge run={run} />}
      {run.flagged && <FlagBadge />}
    </>
  );
}

function Actions({ run }: { run: EvalRun }) {
  return (
    <>
      <SendToReview runId={run.id} />
      <ButtonLink
        to="/runs/$runId"
        params={{ runId: run.id }}
        variant="default"
        leftSection={<IconTimeline size={14} />}
      >
        Trace of the run
      </ButtonLink>
      {run.shift !== null && (
        <ButtonLink
          to="/evals/compare"
          search={{ scenario_id: run.scenario_id, baseline: run.shift.compared_with, variation: run.id }}
          leftSection={<IconColumns2 size={14} />}
        >
          Side by side
        </ButtonLink>
      )}
    </>
  );
}

function requests(run: EvalRun) {
  return [
    { what: "This eval run", path: `/api/v1/eval/runs/${run.id}` },
    { what: "The same as an ordinary run", path: `/api/runs/${run.id}` },
    {
      what: "Send it to review",
      method: "POST" as const,
      path: "/api/v1/review/items",
      body: { run_id: run.id, notes: "" },
    },
    { what: "Its trace, oldest first", path: `/api/runs/${run.id}/trace?limit=200` },
  ];
}
