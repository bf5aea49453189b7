import { useDocumentVisibility } from "@mantine/hooks";
import { useEffect, useEffectEvent, useState } from "react";
import type { RunSummary } from "~/api/queries";
import { follow, type StreamState } from "~/api/stream";

/** `full`: too many streams are open; what is shown is read now and then. */
export type LiveState = "connecting" | "live" | "reconnecting" | "full";

export interface RunsListener {
  /** Runs that are new or have changed, oldest first. */
  onRuns: (runs: RunSummary[]) => void;
  /** What is shown must be read again: the stream, which replays nothing, is open anew, or there is none. */
  onOpen: () => void;
  onState: (state: LiveState) => void;
}

const STATES: Record<StreamState, LiveState> = { open: "live", waiting: "reconnecting", full: "full" };

const listeners = new Set<RunsListener>();
let stream: AbortController | null = null;
let state: LiveState = "connecting";

/** Joins the one stream of this page; who comes first opens it, and who leaves last closes it. */
export function listenToRuns(listener: RunsListener): () => void {
  listeners.add(listener);
  if (stream === null) open();
  else {
    listener.onState(state);
    if (state !== "connecting") listener.onOpen();
  }
  return () => {
    listeners.delete(listener);
    setTimeout(closeUnused); // the next page may take it over
  };
}

function open(): void {
  stream = new AbortController();
  void follow("/api/runs/events", {
    signal: stream.signal,
    onEvents: (events) => {
      const runs = events.filter(({ event }) => event === "run").map(({ data }) => data as RunSummary);
      if (runs.length > 0) for (const { onRuns } of listeners) onRuns(runs);
    },
    onState: (now) => {
      state = STATES[now];
      for (const listener of listeners) {
        listener.onState(state);
        if (now !== "waiting") listener.onOpen();
      }
    },
  });
}

function closeUnused(): void {
  if (listeners.size > 0) return;
  stream?.abort();
  stream = null;
  state = "connecting";
}

/** Runs of the whole organisation as they change, whatever is shown of them. */
export function useLiveRuns(listener: Omit<RunsListener, "onState">): LiveState {
  const onRuns = useEffectEvent(listener.onRuns);
  const onOpen = useEffectEvent(listener.onOpen);
  const [shown, setShown] = useState<LiveState>("connecting");
  // A browser has six connections to a server over HTTP/1.1; hidden tabs must not hold them all.
  const visible = useDocumentVisibility() === "visible";

  useEffect(() => {
    if (!visible) return;
    const leave = listenToRuns({
      onRuns: (runs) => onRuns(runs),
      onOpen: () => onOpen(),
      onState: setShown,
    });
    return () => {
      leave();
      setShown("connecting");
    };
  }, [visible]);

  return shown;
}
