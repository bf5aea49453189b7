import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Refusal } from "~/components/refusal";
import { ROLES, type Role } from "~/pages/settings/roles";
import { useSave } from "~/pages/settings/use-save";

export function RemoveModel({ use: role, onRemoved }: { use: Role; onRemoved: () => void }) {
  const { name, removed } = ROLES[role];
  const [asking, { open, close }] = useDisclosure(false);
  const removing = useSave(`There is no ${name} model any more.`, () => {
    close();
    onRemoved();
  });
  return (
    <>
      <Button variant="subtle" color="red" size="compact-xs" onClick={open}>
        Remove
      </Button>
      <Modal
        opened={asking}
        onClose={close}
        title={`Remove the ${name} model?`}
        size="sm"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="sm">
          <Text size="sm">{removed}</Text>
          <Refusal error={removing.failure} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button
              color="red.9"
              loading={removing.saving}
              onClick={() => removing.save({ models: { [role]: null } } as never)}
            >
              Remove the {name}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
