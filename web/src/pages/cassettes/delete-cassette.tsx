import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Cassette, cassetteQuery, cassettesQuery, deleteCassette } from "~/api/cassettes";
import { Refusal } from "~/components/refusal";

export function DeleteCassette({ cassette, onKeep }: { cassette: Cassette; onKeep: () => void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const removing = useMutation({
    mutationFn: () => deleteCassette(cassette.id),
    onSuccess: async () => {
      notifications.show({ message: `${cassette.name} is deleted.` });
      await navigate({ to: "/cassettes" });
      client.removeQueries({ queryKey: cassetteQuery(cassette.id).queryKey });
      void client.invalidateQueries({ queryKey: cassettesQuery.queryKey, exact: true });
    },
  });
  return (
    <Stack gap="sm">
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        No further run can replay “{cassette.name}”. Runs that did keep their traces, and so does the run it
        was recorded from. This cannot be undone.
      </Text>
      <Refusal error={removing.error} title="Not deleted" />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onKeep} data-autofocus>
          Keep it
        </Button>
        <Button color="red.9" loading={removing.isPending} onClick={() => removing.mutate()}>
          Delete the cassette
        </Button>
      </Group>
    </Stack>
  );
}
