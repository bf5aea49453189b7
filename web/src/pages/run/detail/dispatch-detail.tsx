import { Code, Group, Stack, Text } from "@mantine/core";
import { JsonView } from "~/components/json-view";
import { Section } from "~/components/section";
import { listOf, type TraceEvent } from "~/pages/run/model/events";

/** What was sent to the agent; of headers the names only, for their values are secret. */
export function DispatchDetail({ event }: { event: TraceEvent }) {
  const { url, header_names: names, body } = event.data;
  return (
    <Stack gap="md">
      <Section title="Sent to">
        <Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
          POST {String(url)}
        </Text>
      </Section>
      <Section title="Body">
        <JsonView key={event.sequence} value={body} name="dispatch body" depth={3} />
      </Section>
      <Section title="Headers (names only)">
        <Group gap={6}>
          {listOf(names).map((name) => (
            <Code key={String(name)}>{String(name)}</Code>
          ))}
        </Group>
      </Section>
    </Stack>
  );
}
