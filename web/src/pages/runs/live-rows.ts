/** The rows of a list that moves while it is read: they change where they stand, new ones wait to be shown. */
import type { RunFilters, RunSummary } from "~/api/queries";
import type { LiveRows } from "~/components/live-list/use-live-list";

type RunRows = LiveRows<RunSummary>;

/** These rows, as they were read. What is `known` may be newer, and so may a run be that they do not hold yet. */
export function settled(rows: RunSummary[], known: RunSummary[] = []): RunRows {
  const newest = rows[0]?.id ?? 0;
  return { rows: [...known.filter(({ id }) => id > newest), ...inPlace(rows, known)], waiting: [] };
}

/** `candidates` belong into the list; `takesNew` is false on pages that newer runs cannot be on. */
export function changed(shown: RunRows, candidates: RunSummary[], takesNew: boolean): RunRows {
  const rows = inPlace(shown.rows, candidates);
  if (!takesNew) return { rows, waiting: [] };
  const there = new Set(rows.map((run) => run.id));
  const oldest = rows.at(-1)?.id ?? 0;
  const waiting = inPlace(shown.waiting, candidates);
  const waits = new Set(waiting.map((run) => run.id));
  const arriving = [...latest(candidates).values()].filter(
    ({ id }) => id > oldest && !there.has(id) && !waits.has(id),
  );
  return { rows, waiting: [...waiting, ...arriving] };
}

/** Only what is shown already: these runs no longer belong into the list, or nobody can tell. */
export function changedInPlace(shown: RunRows, runs: RunSummary[]): RunRows {
  const gone = new Set(runs.map((run) => run.id));
  return { rows: inPlace(shown.rows, runs), waiting: shown.waiting.filter((run) => !gone.has(run.id)) };
}

function inPlace(rows: RunSummary[], news: RunSummary[]): RunSummary[] {
  const byId = latest(news);
  return rows.map((run) => later(run, byId.get(run.id) ?? run));
}

/** One run may have changed several times at once. */
function latest(runs: RunSummary[]): Map<number, RunSummary> {
  const byId = new Map<number, RunSummary>();
  for (const run of runs) byId.set(run.id, later(byId.get(run.id) ?? run, run));
  return byId;
}

/** A list that was read before an event may arrive after it. */
function later(before: RunSummary, after: RunSummary): RunSummary {
  return progress(after) >= progress(before) ? after : before;
}

function progress({ status, verdict, attempts }: RunSummary): number {
  const ended = status !== "pending" && status !== "running";
  if (ended) return verdict === "PENDING" ? Number.MAX_VALUE : Number.POSITIVE_INFINITY;
  return attempts.length + attempts.filter(({ ended_at }) => ended_at !== null).length;
}

export function revealed({ rows, waiting }: RunRows): RunRows {
  return settled([...waiting, ...rows].sort((a, b) => b.id - a.id));
}

/** Whether the server would list this run; null when only it can tell. */
export function belongs(run: RunSummary, filters: RunFilters): boolean | null {
  const { status, verdict, error_class, agent_id, agent_version, task_id, batch_id, dataset_id, q } = filters;
  if (status && !status.includes(run.status)) return false;
  const equal: [unknown, unknown][] = [
    [verdict, run.verdict],
    [error_class, run.error_class],
    [agent_id, run.agent_id],
    [agent_version, run.agent_version],
    [task_id, run.task_id],
    [batch_id, run.batch_id],
    [dataset_id, run.dataset_id],
  ];
  if (equal.some(([wanted, given]) => wanted != null && wanted !== given)) return false;
  if (!q || foldAscii(run.user_instruction).includes(foldAscii(q))) return true;
  return run.user_instruction.endsWith("…") ? null : false;
}

/** The server ignores the case of A to Z and of nothing else. */
function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
