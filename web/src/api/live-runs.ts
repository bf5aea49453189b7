import { useDocumentVisibility } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import type { RunSummary } from "~/api/queries";
import { follow } from "~/api/stream";

export type LiveState = "connecting" | "live" | "reconnecting";

interface Listener {
  /** Runs that are new or have changed, oldest first. */
  onRuns: (runs: RunSummary[]) => void;
  /** The stream is open, for the first time or again; it replays nothing, so what is shown must be read again. */
  onOpen: () => void;
}

/** Runs of the whole organisation as they change, whatever is shown of them. */
export function useLiveRuns(listener: Listener): LiveState {
  const current = useRef(listener);
  current.current = listener;
  const [state, setState] = useState<LiveState>("connecting");
  // A browser has six connections to a server over HTTP/1.1; hidden tabs must not hold them all.
  const visible = useDocumentVisibility() === "visible";

  useEffect(() => {
    if (!visible) return;
    const listening = new AbortController();
    void follow("/api/runs/events", {
      signal: listening.signal,
      onEvents: (events) => {
        const runs = events.filter(({ event }) => event === "run").map(({ data }) => data as RunSummary);
        if (runs.length > 0) current.current.onRuns(runs);
      },
      onState: (now) => {
        setState(now === "open" ? "live" : "reconnecting");
        if (now === "open") current.current.onOpen();
      },
    });
    return () => {
      listening.abort();
      setState("connecting");
    };
  }, [visible]);

  return state;
}
