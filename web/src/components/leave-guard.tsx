import { Button, Group, Modal, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";

/** Asks before a page with unsaved changes is left, by whatever way; its own tabs and filters are no leaving. */
export function LeaveGuard({ unsaved }: { unsaved: () => boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && unsaved(),
    enableBeforeUnload: unsaved,
    withResolver: true,
  });
  return (
    <Modal opened={status === "blocked"} onClose={() => reset?.()} title="Leave without saving?" size="sm">
      <Text size="sm">What you changed here has not been saved.</Text>
      <Group justify="flex-end" gap="xs" mt="md">
        <Button variant="default" onClick={() => reset?.()} data-autofocus>
          Stay
        </Button>
        <Button color="red.9" onClick={() => proceed?.()}>
          Discard the changes
        </Button>
      </Group>
    </Modal>
  );
}
