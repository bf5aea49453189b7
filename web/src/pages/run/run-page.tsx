import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { type Run, runQuery } from "~/api/queries";
import { StatusBadge, ToneBadge, VerdictBadge } from "~/components/badges";
import { errorClass } from "~/components/error-classes";
import { Page, TextLink } from "~/components/page";
import { ErrorState, PageLoading } from "~/components/states";
import { Banners } from "~/pages/run/header/banners";
import { HeaderStrip } from "~/pages/run/header/header-strip";
import { RunActions } from "~/pages/run/header/run-actions";
import { RawTab } from "~/pages/run/raw-tab";
import { SeedTab } from "~/pages/run/seed/seed-tab";
import { TimelineTab } from "~/pages/run/timeline/timeline-tab";
import { TranscriptTab } from "~/pages/run/transcript/transcript-tab";
import { PARTS_ID } from "~/pages/run/verdict/deciding-step";
import { VerdictCard } from "~/pages/run/verdict/verdict-card";
import { type RunView, useRunView } from "~/pages/run/view";

const route = getRouteApi("/app/runs/$runId");
const LOOK_AGAIN_MS = 3_000;

export function RunPage() {
  const { runId } = route.useParams();
  const {
    data: run,
    error,
    refetch,
  } = useQuery({
    ...runQuery(runId),
    refetchInterval: ({ state }) => (state.data && isGoingOn(state.data) ? LOOK_AGAIN_MS : false),
  });
  if (run) return <LoadedRun key={runId} run={run} />;
  if (!error) return <PageLoading />;
  return (
    <Page
      title={`Run ${runId}`}
      trail={[<RunsLink key="runs" />]}
      curl={[{ what: "This run", path: `/api/runs/${runId}` }]}
    >
      <ErrorState error={error} retry={() => void refetch()} />
    </Page>
  );
}

function isGoingOn(run: Run): boolean {
  return run.status === "pending" || run.status === "running" || run.verdict === "PENDING";
}

function RunsLink() {
  return <TextLink to="/runs">Runs</TextLink>;
}

function LoadedRun({ run }: { run: Run }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useRunView(run, search);
  const tab = search.tab ?? "timeline";

  function show(next: string | null) {
    const wanted = next === "timeline" ? undefined : (next as typeof search.tab);
    void navigate({
      search: ({ tab: _, ...rest }) => (wanted ? { ...rest, tab: wanted } : rest),
      resetScroll: false,
    });
  }

  return (
    <Page
      title={`Run ${run.id}`}
      trail={[<RunsLink key="runs" />]}
      marks={<Marks view={view} />}
      actions={<RunActions view={view} />}
      curl={requests(view)}
    >
      <HeaderStrip view={view} />
      <Banners view={view} />
      <VerdictCard view={view} />
      <Tabs value={tab} onChange={show} id={PARTS_ID}>
        <Tabs.List mb="sm">
          <Tabs.Tab value="timeline">Timeline</Tabs.Tab>
          <Tabs.Tab value="transcript">Transcript</Tabs.Tab>
          <Tabs.Tab value="seed">Seed</Tabs.Tab>
          <Tabs.Tab value="raw">Raw</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={tab}>
          {tab === "timeline" && <TimelineTab view={view} />}
          {tab === "transcript" && <TranscriptTab view={view} />}
          {tab === "seed" && <SeedTab view={view} />}
          {tab === "raw" && <RawTab view={view} />}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Marks({ view: { run, running } }: { view: RunView }) {
  return (
    <>
      <StatusBadge status={run.status} />
      {(run.status === "completed" || run.verdict !== "NOT APPLICABLE") && (
        <VerdictBadge verdict={run.verdict} running={running} />
      )}
      {run.error_class && (
        <ToneBadge tone={errorClass(run.error_class).tone} help={errorClass(run.error_class).means}>
          {run.error_class}
        </ToneBadge>
      )}
    </>
  );
}

function requests({ run, attempt }: RunView) {
  const base = `/api/runs/${run.id}`;
  return [
    { what: "This run", path: base },
    { what: "Its trace, oldest first", path: `${base}/trace?limit=200` },
    { what: "Its trace as it grows", path: `${base}/events` },
    { what: "Its ledger", path: `${base}/ledger?attempt=${attempt}` },
    { what: "Grade it again", method: "POST" as const, path: `${base}/grade` },
    { what: "What changed in the ledger", path: `${base}/ledger/diff?from=0&attempt=${attempt}` },
  ];
}
