import type { LiveState } from "~/api/live-runs";
import classes from "~/components/live.module.css";

const LIVE_WORDS: Record<LiveState, string> = {
  connecting: "connecting…",
  live: "live",
  reconnecting: "reconnecting…",
  full: "not live: you have too many streams open",
};

/** Whether a list follows what happens. */
export function Live({ state }: { state: LiveState }) {
  return (
    <span className={classes.live} data-state={state} role="status">
      {LIVE_WORDS[state]}
    </span>
  );
}
