import { Button, Drawer } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconFilterOff, IconHourglass, IconTimeline } from "@tabler/icons-react";
import { getRouteApi } from "@tanstack/react-router";
import { useCallback, useDeferredValue, useMemo, useState } from "react";
import { Empty, RowsLoading } from "~/components/states";
import { StepPane } from "~/pages/run/detail/step-pane";
import { changePoints } from "~/pages/run/model/ledger";
import { axisOf, buildSteps, filterSteps, type StepFilter } from "~/pages/run/model/waterfall";
import { Overview } from "~/pages/run/overview";
import { Filters } from "~/pages/run/timeline/filters";
import { Split } from "~/pages/run/timeline/split";
import classes from "~/pages/run/timeline/timeline.module.css";
import { useWalk } from "~/pages/run/timeline/use-walk";
import { Waterfall } from "~/pages/run/timeline/waterfall";
import { useClock } from "~/pages/run/use-clock";
import type { Trace } from "~/pages/run/use-trace";
import type { RunView } from "~/pages/run/view";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/runs/$runId");
const WIDE = "(min-width: 1100px)";
const NOTICES: Partial<Record<Trace["state"], string>> = {
  waiting: "Connection lost, trying again. ",
  full: "Not live: you have too many streams open. ",
};

export function TimelineTab({ view }: { view: RunView }) {
  const { run, events, declared, running, trace } = view;
  const { step: selected, source, actor, q, zoom } = route.useSearch();
  const navigate = route.useNavigate();
  const wide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false });
  const [open, setOpen] = useState(true);

  const going = running && view.attempt === view.attempts.at(-1);
  const steps = useMemo(() => buildSteps(events, going), [events, going]);
  const shown = useMemo(() => filterSteps(steps, { source, actor, q }), [steps, source, actor, q]);
  const points = useMemo(() => changePoints(events), [events]);
  const now = useClock(running && steps.length > 0 && steps.at(-1)?.event.kind !== "reply");
  const axis = useMemo(() => axisOf(steps, now), [steps, now]);

  const change = useCallback(
    (changed: StepFilter & { step?: number | undefined; zoom?: "sight" | undefined }) =>
      void navigate({
        search: (before) => compact({ ...before, ...changed }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const select = useCallback((step: number | undefined) => change({ step }), [change]);

  const sequences = useMemo(() => shown.map((step) => step.sequence), [shown]);
  const changes = useMemo(
    () => shown.filter((step) => step.changes > 0).map((step) => step.sequence),
    [shown],
  );
  useWalk({
    steps: sequences,
    changes,
    selected,
    select,
    toggle: () => setOpen(!open),
    leave: () => select(undefined),
  });

  // The row is marked at once; what is beside it may follow a moment later.
  const looked = useDeferredValue(selected);
  const step = looked === undefined ? undefined : steps.find((one) => one.sequence === looked);
  const pane = step && <StepPane view={view} step={step} began={axis.began} points={points} />;
  const list =
    shown.length > 0 ? (
      <Waterfall
        steps={shown}
        axis={axis}
        selected={selected}
        declared={declared}
        live={running}
        zoomed={zoom === "sight"}
        onSelect={select}
        onZoom={(zoomed) => change({ zoom: zoomed ? "sight" : undefined })}
      />
    ) : (
      <Nothing
        view={view}
        filtered={steps.length > 0}
        clear={() => change({ source: undefined, actor: undefined, q: undefined })}
      />
    );

  const loading = trace.state === "loading" || (!running && trace.state !== "ended");
  if (steps.length === 0 && loading && run.status !== "pending") return <RowsLoading rows={12} />;
  return (
    <section className={classes.panel} aria-label="Timeline">
      <Filters
        steps={steps}
        shown={shown.length}
        notice={NOTICES[trace.state] ?? ""}
        filter={{ source, actor, q }}
        declared={declared}
        onChange={change}
      />
      {wide ? (
        <Split left={list} right={open && (pane ?? <Overview view={view} />)} />
      ) : (
        <>
          <Split left={list} right={null} />
          <Drawer
            opened={step !== undefined}
            onClose={() => select(undefined)}
            position="bottom"
            size="85%"
            closeButtonProps={{ "aria-label": "Close" }}
            title={step ? `Step ${step.sequence}` : ""}
            styles={{ body: { padding: 0 } }}
          >
            {pane}
          </Drawer>
        </>
      )}
    </section>
  );
}

interface NothingProps {
  view: RunView;
  filtered: boolean;
  clear: () => void;
}

function Nothing({ view: { run, running, trace }, filtered, clear }: NothingProps) {
  if (filtered) {
    return (
      <Empty
        icon={<IconFilterOff size={28} />}
        title="No step matches"
        action={
          <Button variant="default" onClick={clear}>
            Clear the filter
          </Button>
        }
      >
        The filter leaves out every step of this attempt.
      </Empty>
    );
  }
  if (running) {
    return (
      <Empty icon={<IconHourglass size={28} />} title="Nothing has happened yet">
        {trace.state === "waiting"
          ? "The connection to the server is lost; it is tried again."
          : "The run waits for a free place. Its steps appear here as they happen."}
      </Empty>
    );
  }
  return (
    <Empty icon={<IconTimeline size={28} />} title="No steps">
      {run.status === "cancelled"
        ? "The run was cancelled before it was dispatched."
        : "This attempt recorded nothing."}
    </Empty>
  );
}
