import { Stack, Text } from "@mantine/core";
import type { Delivered, Delivery, EvalRun } from "~/api/evals";
import { DeliveredBadge } from "~/components/evals/marks";
import { TextLink } from "~/components/page";

/** Whether the text reached the agent, and by what that is known. */
export function DeliveryEvidence({ run }: { run: EvalRun }) {
  if (run.delivery === null) return null;
  if (run.delivered === null) return <Text size="sm">It is looked at when the run has ended.</Text>;
  return (
    <Stack gap="xs">
      <span>
        <DeliveredBadge delivered={run.delivered} />
      </span>
      <Text size="sm">{EVIDENCE[run.delivery][run.delivered]}</Text>
      {run.delivered !== "delivered" && (
        <Text size="sm">
          <TextLink to="/runs/$runId" params={{ runId: run.id }} underline="always">
            The trace
          </TextLink>{" "}
          shows every message and call of the run.
        </Text>
      )}
    </Stack>
  );
}

const EVIDENCE: Record<Delivery, Record<Delivered, string>> = {
  user: {
    delivered: "It stands ahead of the instruction that was dispatched.",
    claimed: "It stands ahead of the instruction.",
    undelivered: "The run was never dispatched, so nothing reached the agent. It is left out of its cell.",
  },
  system: {
    delivered:
      "The exact text stands in a system message of the reply, or in a system_prompt event of this run.",
    claimed:
      "The agent says so with metadata.system_injection_applied; no system message and no event of the run holds the text.",
    undelivered:
      "No system message and no system_prompt event of the run holds the text, and the agent does not say that it used it. It is left out of its cell.",
  },
  tool_result: {
    delivered: "The answer to a tool call carried it; the ledger and the recorded answer stayed as they are.",
    claimed: "The answer to a tool call carried it.",
    undelivered:
      "No answer carried it: there were fewer calls than it waits for, or none was a text or an object that may have a notice. It is left out of its cell.",
  },
};
