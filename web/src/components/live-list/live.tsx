import { Button } from "@mantine/core";
import type { LiveState } from "~/api/live-runs";
import { counted } from "~/components/counted";
import classes from "~/components/live-list/live-list.module.css";
import type { LiveList } from "~/components/live-list/use-live-list";

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

interface NewRowsProps {
  list: Pick<LiveList<unknown>, "waiting" | "reveal">;
  noun: string;
}

/** How many rows wait to be shown, over the list, where the reader can ask for them. */
export function NewRows({ list: { waiting, reveal }, noun }: NewRowsProps) {
  return (
    <div className={classes.news} aria-live="polite">
      {waiting > 0 && (
        <Button
          radius="xl"
          size="compact-sm"
          mt={6}
          onClick={() => {
            reveal();
            window.scrollTo({ top: 0 });
          }}
        >
          {counted(waiting, `new ${noun}`)}
        </Button>
      )}
    </div>
  );
}
