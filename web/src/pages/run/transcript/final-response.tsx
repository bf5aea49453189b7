import { Group, Text } from "@mantine/core";
import { Copy } from "~/components/copy";
import { PlainText, Section } from "~/components/section";
import type { RunView } from "~/pages/run/view";

export function FinalResponse({ view: { run, running } }: { view: RunView }) {
  if (run.final_response === null) {
    return (
      <Section title="Final response">
        <Text size="sm" c="var(--ody-text-dim)">
          {running ? "The agent has not answered yet." : "There is none: the agent gave no usable answer."}
        </Text>
      </Section>
    );
  }
  return (
    <Section title="Final response">
      <PlainText text={run.final_response} label="final response" />
      <Group justify="flex-end">
        <Copy value={run.final_response} what="final response" label="Copy" />
      </Group>
    </Section>
  );
}
