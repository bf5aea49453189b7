import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "~/api/client";
import { type Agent, agentQuery, agentsQuery } from "~/api/queries";
import { Refusal } from "~/components/refusal";

interface DeleteDialogProps {
  agent: Agent;
  opened: boolean;
  onClose: () => void;
}

export function DeleteDialog({ agent, opened, onClose }: DeleteDialogProps) {
  const [typed, setTyped] = useState("");
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.DELETE("/api/agents/{agent_id}", { params: { path: { agent_id: agent.id } } }),
    onSuccess: async () => {
      notifications.show({ message: `${agent.name} is deleted.` });
      await navigate({ to: "/agents" });
      client.removeQueries({ queryKey: agentQuery(agent.id).queryKey });
      void client.invalidateQueries({ queryKey: agentsQuery.queryKey, exact: true });
    },
  });
  const matches = typed.trim() === agent.name.trim();
  return (
    <Modal opened={opened} onClose={onClose} title="Delete this agent" size="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (matches) remove.mutate();
        }}
      >
        <Stack gap="sm">
          <Text size="sm">
            It can no longer be given runs, and its saved auth header value is erased. Its runs and their
            traces stay. This cannot be undone.
          </Text>
          <TextInput
            data-autofocus
            label="Type its name to confirm"
            description={agent.name}
            descriptionProps={{ style: { overflowWrap: "anywhere" } }}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
          <Refusal error={remove.error} title="Not deleted" />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red.9" disabled={!matches} loading={remove.isPending}>
              Delete the agent
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
