import { Kbd, Stack, Text } from "@mantine/core";
import { ActorsSummary } from "~/pages/run/actors-summary";
import classes from "~/pages/run/detail/detail.module.css";
import { FinalResponse } from "~/pages/run/transcript/final-response";
import { Metadata } from "~/pages/run/transcript/metadata";
import type { RunView } from "~/pages/run/view";

const KEYS: [keys: string[], what: string][] = [
  [["j", "k"], "next and previous step"],
  [["]", "["], "next and previous change of the ledger"],
  [["Enter"], "hide or show this pane"],
  [["Esc"], "back to this overview"],
];

/** Beside the timeline while no step is selected. */
export function Overview({ view }: { view: RunView }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className={classes.pane} aria-label="Overview" tabIndex={0} data-scrolls>
      <Stack gap="lg" p="md">
        <Text component="h2" fw={650} size="md">
          Overview
        </Text>
        <FinalResponse view={view} />
        <ActorsSummary view={view} />
        <Metadata view={view} />
        {view.running && view.events.length === 0 && (
          <Text size="sm" c="var(--ody-text-dim)">
            Select a step to see what was asked, what was answered, and what changed.
          </Text>
        )}
        <Keys />
      </Stack>
    </section>
  );
}

function Keys() {
  return (
    <dl className={classes.keys}>
      {KEYS.map(([keys, what]) => (
        <div key={what}>
          <dt>
            {keys.map((key) => (
              <Kbd key={key} size="xs">
                {key}
              </Kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}
