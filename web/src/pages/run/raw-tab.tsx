import { Stack } from "@mantine/core";
import { JsonView } from "~/components/json-view";
import { Panel } from "~/components/page";
import type { RunView } from "~/pages/run/view";

export function RawTab({ view: { run, trace } }: { view: RunView }) {
  return (
    <Stack gap="md">
      <Panel title="Run">
        <JsonView value={run} name="run" depth={1} />
      </Panel>
      <Panel title={`Trace events of all attempts (${trace.events.length.toLocaleString("en")})`}>
        <JsonView value={trace.events} name="trace events" depth={1} />
      </Panel>
    </Stack>
  );
}
