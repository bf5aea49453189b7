import { Group, Stack, Tabs } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { SourceBadge, ToneBadge, VerdictBadge } from "~/components/badges";
import { JsonView } from "~/components/json-view";
import { PlainText } from "~/components/section";
import { duration } from "~/components/time";
import { ActorMark } from "~/pages/run/actor-mark";
import { CallDetail } from "~/pages/run/detail/call-detail";
import classes from "~/pages/run/detail/detail.module.css";
import { DispatchDetail } from "~/pages/run/detail/dispatch-detail";
import { ForwardDetail } from "~/pages/run/detail/forward-detail";
import { GradeDetail } from "~/pages/run/detail/grade-detail";
import { ReplyDetail } from "~/pages/run/detail/reply-detail";
import { TraceEventDetail } from "~/pages/run/detail/trace-event-detail";
import { LedgerPanel } from "~/pages/run/ledger/ledger-panel";
import { textOf } from "~/pages/run/model/events";
import type { Step } from "~/pages/run/model/waterfall";
import { SentBadge } from "~/pages/run/sent-badge";
import { StepIcon } from "~/pages/run/timeline/step-icon";
import type { RunView } from "~/pages/run/view";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/runs/$runId");

interface StepPaneProps {
  view: RunView;
  step: Step;
  /** When the axis begins. */
  began: number;
  /** Sequences at which the ledger changed. */
  points: number[];
}

/** One step in full: what it was, the ledger right after it, and the event as it is stored. */
export function StepPane({ view, step, began, points }: StepPaneProps) {
  const { pane } = route.useSearch();
  const navigate = route.useNavigate();
  const tab = pane ?? "step";

  function show(next: string | null) {
    const wanted = next === "ledger" || next === "raw" ? next : undefined;
    void navigate({
      search: (before) => compact({ ...before, pane: wanted }),
      replace: true,
      resetScroll: false,
    });
  }

  return (
    <section className={classes.pane} aria-label={`Step ${step.sequence}`}>
      <Tabs value={tab} onChange={show}>
        <div className={classes.head}>
          <Group gap={8} component="h2" m={0} fw={400} fz="inherit">
            <StepIcon step={step} size={16} />
            <span className={classes.name}>{step.name}</span>
            <Badges step={step} />
          </Group>
          <div className={classes.facts}>
            <span>step {step.sequence}</span>
            <span>at {offset(step.at - began)}</span>
            {step.length !== null && <span>took {duration(step.length)}</span>}
            {step.actor !== null && <ActorMark actor={step.actor} declared={view.declared} />}
          </div>
          <Tabs.List>
            <Tabs.Tab value="step">Step</Tabs.Tab>
            <Tabs.Tab value="ledger">Ledger{step.changes > 0 && ` Δ${step.changes}`}</Tabs.Tab>
            <Tabs.Tab value="raw">Raw event</Tabs.Tab>
          </Tabs.List>
        </div>
        <Tabs.Panel value={tab} className={classes.body}>
          {tab === "step" && <Detail view={view} step={step} />}
          {tab === "ledger" && <LedgerPanel view={view} step={step} points={points} />}
          {tab === "raw" && (
            <JsonView key={step.sequence} value={step.event} name={`event ${step.sequence}`} depth={4} />
          )}
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}

function Badges({ step }: { step: Step }) {
  return (
    <>
      {!step.refused && step.source && <SourceBadge source={step.source} />}
      {step.rule !== null && <ToneBadge tone="injected">rule {step.rule}</ToneBadge>}
      {step.refused && <ToneBadge tone="error">refused</ToneBadge>}
      {step.status !== null && <ToneBadge tone="error">HTTP {step.status}</ToneBadge>}
      {step.cassette && <ToneBadge tone="neutral">replayed</ToneBadge>}
      {step.sent && <SentBadge sent={step.sent} />}
      {step.event.kind === "grade" && <VerdictBadge verdict={String(step.event.data.verdict)} />}
      {textOf(step.event.data.fault) && (
        <ToneBadge tone="injected">fault: {String(step.event.data.fault)}</ToneBadge>
      )}
    </>
  );
}

function offset(milliseconds: number): string {
  return `${milliseconds < 0 ? "−" : "+"}${duration(Math.abs(milliseconds))}`;
}

function Detail({ view, step }: { view: RunView; step: Step }) {
  const { event } = step;
  switch (event.kind) {
    case "tool_call":
      return <CallDetail view={view} step={step} />;
    case "forward":
      return <ForwardDetail step={step} />;
    case "trace_event":
      return <TraceEventDetail view={view} step={step} />;
    case "dispatch":
      return <DispatchDetail event={event} />;
    case "reply":
      return <ReplyDetail event={event} />;
    case "grade":
      return <GradeDetail view={view} event={event} />;
    default:
      return (
        <Stack gap="md">
          {textOf(event.data.message) && <PlainText text={String(event.data.message)} label={event.kind} />}
          <JsonView value={event.data} name={event.kind} depth={3} />
        </Stack>
      );
  }
}
