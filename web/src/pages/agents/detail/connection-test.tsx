import { Alert, Text } from "@mantine/core";
import { IconPlugConnected, IconPlugConnectedX } from "@tabler/icons-react";
import type { Schemas } from "~/api/client";
import { asProblem } from "~/api/problem";
import { toneColor } from "~/components/badges";
import { duration } from "~/components/time";

type Result = Schemas["ConnectionTested"];

interface ConnectionResultProps {
  /** The header whose value is sent; null if none is. */
  authHeader: string | null;
  /** Where name and value of that header are changed. */
  where: string;
  result: Result | undefined;
  error: unknown;
  onClose: () => void;
}

/** What came of asking the endpoint whether it is there. */
export function ConnectionResult({ authHeader, where, result, error, onClose }: ConnectionResultProps) {
  if (error) {
    const problem = asProblem(error);
    return (
      <Outcome ok={false} title="Not tested" onClose={onClose}>
        {problem.errors[0]?.msg ?? problem.detail}
      </Outcome>
    );
  }
  if (!result) return null;
  const advice = adviceFor(result, authHeader, where);
  return (
    <Outcome ok={result.ok} title={titleFor(result)} onClose={onClose}>
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {result.detail}
      </Text>
      {advice && <Text size="sm">{advice}</Text>}
    </Outcome>
  );
}

function titleFor({ ok, status, latency_ms }: Result): string {
  const took = duration(latency_ms);
  if (ok) return `Connected: HTTP ${status} in ${took}`;
  return status === null ? `Failed: no HTTP answer, after ${took}` : `Failed: HTTP ${status} in ${took}`;
}

interface OutcomeProps {
  ok: boolean;
  title: string;
  onClose: () => void;
  children: React.ReactNode;
}

function Outcome({ ok, title, onClose, children }: OutcomeProps) {
  const Icon = ok ? IconPlugConnected : IconPlugConnectedX;
  const colour = toneColor(ok ? "green" : "red");
  return (
    <Alert
      role="status"
      variant="default"
      title={title}
      icon={<Icon size={18} color={colour} />}
      style={{ borderColor: colour }}
      styles={{ title: { color: colour } }}
      withCloseButton
      closeButtonLabel="Close the result"
      onClose={onClose}
    >
      {children}
    </Alert>
  );
}

/** What to look at next; the server's own sentence says what happened. */
function adviceFor({ ok, status }: Result, authHeader: string | null, where: string): string | null {
  if (ok) return null;
  if (status === null) {
    return (
      "Check that the agent runs and listens at this host and port. Inside a container 127.0.0.1 is the " +
      "container itself, so an agent on the host needs another name there."
    );
  }
  if (status === 401 || status === 403) {
    return authHeader === null
      ? `No auth header is sent: set its name and value ${where}.`
      : `The value is sent in the header ${authHeader}. Name and value can be changed ${where}.`;
  }
  return status >= 500 ? "The agent was reached and failed by itself: its own log says why." : null;
}
