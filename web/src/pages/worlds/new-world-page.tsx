import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ledgerQuery, runQuery } from "~/api/queries";
import { worldQuery } from "~/api/worlds";
import { useMayChange } from "~/components/may-change";
import { Page, TextLink } from "~/components/page";
import { Empty, ErrorState, PageLoading } from "~/components/states";
import { type Beginning, NewWorldForm } from "~/pages/worlds/new-world-form";
import { VIEWERS_READ } from "~/pages/worlds/viewers";

const route = getRouteApi("/app/worlds/new");

/** Written by hand, taken from the ledger of a run, or copied from another world. */
export function NewWorldPage() {
  const { run: runId, at = 0, attempt, copy } = route.useSearch();
  const mayChange = useMayChange();
  const fromRun = useBeginningFromRun(runId, attempt, at);
  const fromWorld = useBeginningFromWorld(copy);
  const wanted = runId !== undefined ? fromRun : copy !== undefined ? fromWorld : null;
  if (!mayChange) {
    return (
      <Framed>
        <Empty title={VIEWERS_READ}>Ask an admin of your organisation to change your role.</Empty>
      </Framed>
    );
  }
  if (wanted?.error) {
    return (
      <Framed>
        <ErrorState error={wanted.error} retry={wanted.retry} />
      </Framed>
    );
  }
  if (wanted !== null && wanted.beginning === null) return <PageLoading />;
  return <NewWorldForm key={`${runId} ${at} ${copy}`} beginning={wanted?.beginning ?? BLANK} />;
}

const BLANK: Beginning = { name: "", state: null, behavior: "", problems: [], rules: [], origin: null };

interface Source {
  beginning: Beginning | null;
  error: Error | null;
  retry: () => void;
}

function useBeginningFromRun(runId: number | undefined, attempt: number | undefined, at: number): Source {
  const run = useQuery({ ...runQuery(runId ?? 0), enabled: runId !== undefined });
  const last = run.data?.attempts.at(-1)?.attempt ?? 1;
  const ledger = useQuery({
    ...ledgerQuery(runId ?? 0, attempt ?? last, at),
    enabled: run.data !== undefined,
  });
  const seed = run.data?.odyssey_seed;
  return {
    beginning:
      run.data && ledger.data
        ? {
            name: `Run ${run.data.id}${at === 0 ? "" : ` after step ${at}`}`,
            state: ledger.data.state,
            behavior: String(seed?.behavior_instructions ?? ""),
            problems: [],
            rules: Array.isArray(seed?.failure_rules) ? seed.failure_rules : [],
            origin: { kind: "run", id: run.data.id, at },
          }
        : null,
    error: run.error ?? ledger.error,
    retry: () => void Promise.all([run.refetch(), ledger.refetch()]),
  };
}

function useBeginningFromWorld(worldId: number | undefined): Source {
  const world = useQuery({ ...worldQuery(worldId ?? 0), enabled: worldId !== undefined });
  return {
    beginning: world.data
      ? {
          name: `${world.data.name} (copy)`,
          state: world.data.initial_state,
          behavior: world.data.behavior_instructions,
          problems: world.data.behavior_problems,
          rules: world.data.failure_rules,
          origin: { kind: "world", id: world.data.id, name: world.data.name },
        }
      : null,
    error: world.error,
    retry: () => void world.refetch(),
  };
}

function Framed({ children }: { children: React.ReactNode }) {
  return (
    <Page
      title="New world"
      trail={[
        <TextLink key="worlds" to="/worlds">
          Worlds
        </TextLink>,
      ]}
      curl={[]}
    >
      {children}
    </Page>
  );
}
