import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { api, data, type Schemas } from "~/api/client";
import { runQuery } from "~/api/queries";
import { follow, type ServerEvent } from "~/api/stream";
import type { TraceEvent } from "~/pages/run/model/events";

export interface Trace {
  events: TraceEvent[];
  /** `full`: too many streams are open, it is read now and then; `ended`: nothing more will come. */
  state: "loading" | "live" | "waiting" | "full" | "ended";
}

const NOTHING: Trace = { events: [], state: "loading" };

/** After these the run itself is not what it was. */
const CHANGES_THE_RUN = new Set(["reply", "grade"]);

/**
 * Every event of a run, from the first one, as they happen. It must be the same run for as long as the page lives;
 * `open` is whether more is to come, which it is again for a run that is graded anew.
 */
export function useTrace(runId: number, open: boolean): Trace {
  const [trace, setTrace] = useState(NOTHING);
  const [round, setRound] = useState(0);
  const last = useRef<string | null>(null);
  const wasOpen = useRef(open);
  const client = useQueryClient();

  useEffect(() => {
    if (open && !wasOpen.current) setRound((before) => before + 1);
    wasOpen.current = open;
  }, [open]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: every round listens once more
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;

    async function listen() {
      const counted = await read();
      if (signal.aborted) return;
      await readRun();
      // An event that counts refusals goes on counting after it was sent; its last number is read again.
      if (counted && !signal.aborted) await readQuietly();
      if (!signal.aborted) setTrace((trace) => ({ ...trace, state: "ended" }));
    }

    function readRun() {
      return client.invalidateQueries({ queryKey: runQuery(runId).queryKey, exact: true });
    }

    /** Returns whether an event that counts arrived while the run was going on. */
    async function read(): Promise<boolean> {
      let counts = false;
      let live = false;
      await follow(`/api/runs/${runId}/events`, {
        signal,
        after: last.current,
        onState: (state) => {
          if (state === "full") void readInstead();
          else setTrace((trace) => ({ ...trace, state: state === "open" ? "live" : "waiting" }));
        },
        onEvents: (arrived) => {
          const events = unknown(tracePart(arrived));
          last.current = events.at(-1)?.sequence.toString() ?? last.current;
          counts ||= live && events.some((event) => "count" in event.data);
          if (live && events.some(({ kind }) => CHANGES_THE_RUN.has(kind))) void readRun();
          live = true;
          setTrace((trace) => ({ events: [...trace.events, ...events], state: "live" }));
        },
      });
      return counts;
    }

    function unknown(events: TraceEvent[]): TraceEvent[] {
      return events.filter(({ sequence }) => sequence > Number(last.current));
    }

    /** With too many streams open the trace is read whenever one was refused. */
    async function readInstead() {
      const found = await allEvents(runId, signal).catch(() => []);
      if (signal.aborted) return;
      const events = unknown(found);
      last.current = events.at(-1)?.sequence.toString() ?? last.current;
      setTrace((trace) => ({
        events: [...trace.events, ...events],
        state: wasOpen.current ? "full" : "ended",
      }));
      void readRun();
    }

    async function readQuietly() {
      let events: TraceEvent[] = [];
      await follow(`/api/runs/${runId}/events`, {
        signal,
        onEvents: (arrived) => {
          events = [...events, ...tracePart(arrived)];
        },
      });
      if (!signal.aborted) setTrace({ events, state: "ended" });
    }

    void listen();
    return () => stop.abort();
  }, [runId, client, round]);

  return trace;
}

async function allEvents(runId: number, signal: AbortSignal): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  let cursor: string | null = null;
  do {
    const params = { path: { run_id: runId }, query: { limit: 200, ...(cursor !== null && { cursor }) } };
    const page: Schemas["TracePage"] = await data(api.GET("/api/runs/{run_id}/trace", { params, signal }));
    events.push(...page.items);
    cursor = page.next_cursor ?? null;
  } while (cursor !== null);
  return events;
}

function tracePart(arrived: ServerEvent[]): TraceEvent[] {
  return arrived.filter((one) => one.event !== "end").map((one) => one.data as TraceEvent);
}
