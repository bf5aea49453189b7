import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { runQuery } from "~/api/queries";
import { follow, type ServerEvent } from "~/api/stream";
import type { TraceEvent } from "~/pages/run/model/events";

export interface Trace {
  events: TraceEvent[];
  /** `ended`: nothing more will come. */
  state: "loading" | "live" | "waiting" | "ended";
}

const NOTHING: Trace = { events: [], state: "loading" };

/** Every event of a run, from the first one, as they happen. */
export function useTrace(runId: number): Trace {
  const [trace, setTrace] = useState(NOTHING);
  const client = useQueryClient();

  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    setTrace(NOTHING);

    async function listen() {
      const counted = await read((gather) => setTrace(gather));
      if (signal.aborted) return;
      await client.invalidateQueries({ queryKey: runQuery(runId).queryKey, exact: true });
      // An event that counts refusals goes on counting after it was sent; its last number is read again.
      if (counted && !signal.aborted) await readQuietly();
      setTrace((trace) => ({ ...trace, state: "ended" }));
    }

    /** Returns whether an event that counts arrived while the run was going on. */
    async function read(show: (change: (trace: Trace) => Trace) => void): Promise<boolean> {
      let counts = false;
      let live = false;
      await follow(`/api/runs/${runId}/events`, {
        signal,
        onState: (state) => show((trace) => ({ ...trace, state: state === "open" ? "live" : "waiting" })),
        onEvents: (arrived) => {
          const events = tracePart(arrived);
          counts ||= live && events.some((event) => "count" in event.data);
          live = true;
          show((trace) => ({ events: [...trace.events, ...events], state: "live" }));
        },
      });
      return counts;
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
  }, [runId, client]);

  return trace;
}

function tracePart(arrived: ServerEvent[]): TraceEvent[] {
  return arrived.filter((one) => one.event !== "end").map((one) => one.data as TraceEvent);
}
