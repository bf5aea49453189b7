import { List, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "~/api/client";
import { type Agent, readingsQuery } from "~/api/queries";
import { ToneBadge } from "~/components/badges";
import { Confidence } from "~/components/confidence";
import { counted } from "~/components/counted";
import { ErrorState, RowsLoading } from "~/components/states";
import { ToolPart } from "~/components/tool-list";

type ToolReading = Schemas["ToolReadingOut"];

const useReadings = (agent: Agent) => useQuery(readingsQuery(agent.id, agent.version));

/** How the calls of one tool will be read, how surely, and what to do about it. */
export function ReadAs({ agent, tool }: { agent: Agent; tool: string }) {
  const { data, error } = useReadings(agent);
  const found = data?.tools.find((each) => each.tool === tool);
  return (
    <ToolPart title="Read as">
      {error && <ErrorState error={error} />}
      {!data && !error && <RowsLoading rows={1} />}
      {found && <Told reading={found} />}
    </ToolPart>
  );
}

function Told({ reading }: { reading: ToolReading }) {
  return (
    <>
      <Text size="sm" data-reading>
        {reading.reading}
        {reading.why !== null && `: ${reading.why}`}
      </Text>
      {reading.confidence !== null && reading.answered_by !== "nobody" && (
        <Confidence
          of={reading.confidence}
          evidence={reading.answered_by === "world" ? "world" : "behaviour"}
        />
      )}
      {reading.help.length > 0 && (
        <>
          <Text size="sm" mt="xs">
            What would help:
          </Text>
          <List size="sm">
            {reading.help.map((each) => (
              <List.Item key={each}>{each}</List.Item>
            ))}
          </List>
        </>
      )}
    </>
  );
}

/** A mark for what nobody answers. */
export function NotUnderstood({ agent, tool }: { agent: Agent; tool: string }) {
  const { data } = useReadings(agent);
  const lost = data?.tools.some((each) => each.tool === tool && each.answered_by === "nobody");
  return lost ? <ToneBadge tone="red">not understood</ToneBadge> : null;
}

/** What whoever publishes the agent should know of its tools. */
export function ReadingsSummary({ agent }: { agent: Agent }) {
  const { data } = useReadings(agent);
  if (!data || data.tools.length === 0) return null;
  const lost = data.tools.filter((each) => each.answered_by === "nobody").map((each) => each.tool);
  if (lost.length === 0) {
    return <Text size="sm">The simulation understands all of its {counted(data.tools.length, "tool")}.</Text>;
  }
  return (
    <Text size="sm">
      {counted(lost.length, "tool")} of {data.tools.length} {lost.length === 1 ? "is" : "are"} not understood,
      so calls get an error: {lost.join(", ")}. The tab Tools says what would help.
    </Text>
  );
}
