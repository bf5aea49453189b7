import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Refusal } from "~/components/refusal";
import { useSave } from "~/pages/settings/use-save";

export function RemoveJudge({ onRemoved }: { onRemoved: () => void }) {
  const [asking, { open, close }] = useDisclosure(false);
  const removing = useSave("There is no judge model any more.", () => {
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
        title="Remove the judge model?"
        size="sm"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="sm">
          <Text size="sm">
            Its key is deleted. Runs to come are graded by their checks alone; verdicts that were given stay.
          </Text>
          <Refusal error={removing.failure} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Keep it
            </Button>
            <Button
              color="red.9"
              loading={removing.saving}
              onClick={() => removing.save({ models: { judge: null } } as never)}
            >
              Remove the judge
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
