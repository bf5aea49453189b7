import { Text } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { Banner } from "~/components/banner";

const OUTCOMES: Record<string, string> = {
  not_sent: "Nothing was sent, so nothing can have happened there.",
  unknown: "It was sent, and may have had an effect: no complete answer came back.",
};

interface Failure {
  code: string;
  message: string;
  outcome: string;
}

/** What `transport_error` says of the hop; null when it is not in its shape. */
export function failureIn(response: unknown): Failure | null {
  const error = (response as { error?: Partial<Failure> } | null)?.error;
  if (typeof error !== "object" || error === null || typeof error.code !== "string") return null;
  return { code: error.code, message: String(error.message ?? ""), outcome: String(error.outcome ?? "") };
}

/** Why the live tool gave no answer, and whether it may have done something. */
export function TransportFailure({ response }: { response: unknown }) {
  const failure = failureIn(response);
  if (failure === null) return null;
  return (
    <Banner
      tone="transport_error"
      icon={<IconPlugConnectedX size={16} aria-hidden />}
      label="Why there is no answer"
    >
      <Text size="sm" fw={600}>
        {failure.message}{" "}
        <Text span size="xs" fw={400} ff="monospace" c="var(--ody-text-dim)">
          {failure.code}
        </Text>
      </Text>
      {failure.outcome in OUTCOMES && <Text size="sm">{OUTCOMES[failure.outcome]}</Text>}
    </Banner>
  );
}
