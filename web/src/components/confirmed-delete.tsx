import { ActionIcon, Button, Group, Modal, Stack, Text, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconTrash } from "@tabler/icons-react";
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { Refusal } from "~/components/refusal";

interface ConfirmedDeleteProps {
  /** As it ends the sentence "Delete …". */
  what: string;
  consequence: string;
  remove: () => Promise<unknown>;
  /** The list it disappears from. */
  queryKey: QueryKey;
}

/** A bin that asks first. */
export function ConfirmedDelete({ what, consequence, remove, queryKey }: ConfirmedDeleteProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const queryClient = useQueryClient();
  const deletion = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      close();
      void queryClient.invalidateQueries({ queryKey });
    },
  });
  return (
    <>
      <Tooltip label={`Delete ${what}`}>
        <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${what}`} onClick={open}>
          <IconTrash size={15} />
        </ActionIcon>
      </Tooltip>
      <Modal
        opened={opened}
        onClose={close}
        title={`Delete ${what}?`}
        styles={{ title: { overflowWrap: "anywhere" } }}
      >
        <Stack>
          <Text size="sm">{consequence}</Text>
          <Refusal error={deletion.error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close} data-autofocus>
              Keep it
            </Button>
            <Button color="red" loading={deletion.isPending} onClick={() => deletion.mutate()}>
              Delete
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
