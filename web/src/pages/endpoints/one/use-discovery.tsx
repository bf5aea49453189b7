import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { discoverAgain, type Endpoint, endpointQuery, endpointsQuery } from "~/api/endpoints";
import { Banner } from "~/components/banner";
import { counted } from "~/components/counted";
import { Refusal } from "~/components/refusal";
import { driftInWords } from "~/pages/endpoints/marks";

export interface Discovery {
  start: () => void;
  going: boolean;
  error: Error | null;
}

/** Asking the service for its tools once more. */
export function useDiscovery(endpoint: Endpoint): Discovery {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: () => discoverAgain(endpoint.id),
    onSuccess: (found) => {
      client.setQueryData(endpointQuery(endpoint.id).queryKey, found);
      void client.invalidateQueries({ queryKey: endpointsQuery.queryKey, exact: true });
      if (found.discovery_error === null) notifications.show({ message: saidOf(found, endpoint) });
    },
  });
  return { start: mutation.mutate, going: mutation.isPending, error: mutation.error };
}

function saidOf(found: Endpoint, before: Endpoint): string {
  const counts = counted(found.tool_count, "tool");
  const isNew = found.drift !== null && found.drift.at !== before.drift?.at;
  return found.drift !== null && isNew ? `${counts}: ${driftInWords(found.drift)}.` : `${counts}, as before.`;
}

/** Why the tools could not be listed, and what is shown instead. */
export function DiscoveryFailure({ endpoint, discovery }: { endpoint: Endpoint; discovery: Discovery }) {
  const failure = endpoint.discovery_error;
  return (
    <>
      <Refusal error={discovery.error} title="Not discovered" />
      {failure && (
        <Banner tone="red" icon={<IconPlugConnectedX size={16} aria-hidden />} label="Why discovery failed">
          <Text size="sm" fw={600}>
            {failure.message}{" "}
            <Text span size="xs" fw={400} ff="monospace" c="var(--ody-text-dim)">
              {failure.code}
            </Text>
          </Text>
          <Text size="sm">
            {endpoint.discovered_at === null
              ? "No tool is known yet. Mend the address or the service, then discover again."
              : "The tools below are those of the last discovery that succeeded."}
          </Text>
        </Banner>
      )}
    </>
  );
}
