import { Button, Group, List, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconLink } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { deleteEndpoint, type Endpoint, endpointQuery, endpointsQuery } from "~/api/endpoints";
import { asProblem } from "~/api/problem";
import { Banner } from "~/components/banner";
import { TextLink } from "~/components/page";
import { Refusal } from "~/components/refusal";

/** Asks first; says which agents need it where it is in use. */
export function DeleteEndpoint({ endpoint, onKeep }: { endpoint: Endpoint; onKeep: () => void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: () => deleteEndpoint(endpoint.id),
    onSuccess: async () => {
      notifications.show({ message: `${endpoint.name} is deleted.` });
      await navigate({ to: "/endpoints" });
      client.removeQueries({ queryKey: endpointQuery(endpoint.id).queryKey });
      void client.invalidateQueries({ queryKey: endpointsQuery.queryKey, exact: true });
    },
    onError: () => void client.invalidateQueries({ queryKey: endpointQuery(endpoint.id).queryKey }),
  });
  const problem = removing.error === null ? null : asProblem(removing.error);
  const inUse = problem?.code === "in_use";
  return (
    <Stack gap="sm">
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        No tool can be switched to “{endpoint.name}” any more. Its credential stays; traces and cassettes keep
        what it answered. This cannot be undone.
      </Text>
      {inUse && <InUse endpoint={endpoint} detail={problem.detail} />}
      {!inUse && <Refusal error={removing.error} title="Not deleted" />}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onKeep} data-autofocus>
          Keep it
        </Button>
        <Button color="red.9" loading={removing.isPending} onClick={() => removing.mutate()}>
          Delete the endpoint
        </Button>
      </Group>
    </Stack>
  );
}

function InUse({ endpoint, detail }: { endpoint: Endpoint; detail: string }) {
  return (
    <Banner tone="amber" icon={<IconLink size={16} aria-hidden />} label="Still in use">
      <Text size="sm" fw={600}>
        Agents still need it, so it stays.
      </Text>
      {endpoint.used_by.length === 0 ? (
        <Text size="sm">{detail}</Text>
      ) : (
        <List size="sm">
          {endpoint.used_by.map(({ agent_id, agent_name, tools }) => (
            <List.Item key={agent_id}>
              <TextLink to="/agents/$agentId" params={{ agentId: agent_id }} underline="always">
                {agent_name}
              </TextLink>
              : {tools.join(", ")}
            </List.Item>
          ))}
        </List>
      )}
      <Text size="sm">Switch these tools to the sandbox without a binding, or bind them elsewhere.</Text>
    </Banner>
  );
}
