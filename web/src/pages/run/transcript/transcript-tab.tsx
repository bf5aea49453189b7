import { Stack, Text } from "@mantine/core";
import { IconMessageOff } from "@tabler/icons-react";
import { useMemo } from "react";
import { Panel } from "~/components/page";
import { Empty } from "~/components/states";
import { readWarning } from "~/pages/run/model/soft-warnings";
import { type Proof, readTranscript, type Transcript } from "~/pages/run/model/transcript";
import { FinalResponse } from "~/pages/run/transcript/final-response";
import { MessageView } from "~/pages/run/transcript/message-view";
import { Metadata } from "~/pages/run/transcript/metadata";
import { StepLink } from "~/pages/run/transcript/step-link";
import classes from "~/pages/run/transcript/transcript.module.css";
import type { RunView } from "~/pages/run/view";

/** What the agent says it did, and for each call whether the proxy saw it. */
export function TranscriptTab({ view }: { view: RunView }) {
  const { run, events } = view;
  const transcript = useMemo(
    () => run.messages && readTranscript(run.messages, events),
    [run.messages, events],
  );
  return (
    <div className={classes.columns}>
      <Panel title="Messages" tools={transcript && <Proofs transcript={transcript} />} flush>
        {transcript ? <Messages view={view} transcript={transcript} /> : <Thin view={view} />}
      </Panel>
      <div className={classes.side}>
        <Panel title="Outcome">
          <Stack gap="lg">
            <FinalResponse view={view} />
            <Metadata view={view} />
          </Stack>
        </Panel>
      </div>
    </div>
  );
}

function Messages({ view, transcript }: { view: RunView; transcript: Transcript }) {
  return (
    <>
      <ol className={classes.messages}>
        {transcript.messages.map((message) => (
          <li key={message.index}>
            <MessageView view={view} message={message} />
          </li>
        ))}
      </ol>
      <Unclaimed transcript={transcript} />
    </>
  );
}

function Proofs({ transcript: { claims } }: { transcript: Transcript }) {
  if (claims.length === 0) return null;
  const count = (kind: Proof["kind"]) => claims.filter((claim) => claim.proof.kind === kind).length;
  const differ = count("differs");
  return (
    <Text size="xs" c="var(--ody-text-dim)">
      {claims.length - count("unseen")} of {claims.length} claimed tool calls seen by the proxy
      {differ > 0 && `, ${differ} with other arguments`}
    </Text>
  );
}

const MOST_LINKS = 40;

function Unclaimed({ transcript: { unclaimed } }: { transcript: Transcript }) {
  if (unclaimed.length === 0) return null;
  return (
    <Text size="sm" className={classes.unclaimed}>
      {unclaimed.length === 1 ? "One call the proxy saw is" : `${unclaimed.length} calls the proxy saw are`}{" "}
      not in the transcript:{" "}
      {unclaimed.slice(0, MOST_LINKS).map((event, index) => (
        <span key={event.sequence}>
          {index > 0 && ", "}
          <StepLink step={event.sequence}>
            {String(event.data.tool_name)} (step {event.sequence})
          </StepLink>
        </span>
      ))}
      {unclaimed.length > MOST_LINKS && " …"}
    </Text>
  );
}

function Thin({ view: { run, running } }: { view: RunView }) {
  if (running) {
    return (
      <Empty icon={<IconMessageOff size={28} />} title="Not there yet">
        The transcript comes with the agent's reply. Until then the timeline shows what happens.
      </Empty>
    );
  }
  const malformed = run.soft_warnings.find((warning) => warning.startsWith("messages_malformed"));
  return (
    <Empty icon={<IconMessageOff size={28} />} title="No transcript">
      {run.status === "completed"
        ? malformed
          ? `The reply's messages cannot be used: ${readWarning(malformed).found}.`
          : "The reply has no messages: only its final response is known."
        : "The run ended without a reply that could be read."}{" "}
      Return <code>messages</code> beside <code>final_response</code> to see here what the agent said and
      thought; the timeline has its tool calls either way.
    </Empty>
  );
}
