import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconPlayerStop } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Refusal } from "~/components/refusal";

interface CancelRunsProps<Answer> {
  /** What the runs belong to. */
  kind: "batch" | "matrix";
  cancel: () => Promise<Answer>;
  onCancelled: (answer: Answer) => void;
  /** What cancelling means. */
  children: ReactNode;
}

/** Cancels what still runs of many, once somebody has said so twice. */
export function CancelRuns<Answer>({ kind, cancel, onCancelled, children }: CancelRunsProps<Answer>) {
  const [asking, setAsking] = useState(false);
  const cancelling = useMutation({
    mutationFn: cancel,
    onSuccess: (answer) => {
      onCancelled(answer);
      setAsking(false);
    },
  });
  return (
    <>
      <Button variant="default" leftSection={<IconPlayerStop size={15} />} onClick={() => setAsking(true)}>
        Cancel
      </Button>
      <Modal opened={asking} onClose={() => setAsking(false)} title={`Cancel this ${kind}`} size="md">
        <Stack gap="sm">
          <Text size="sm">{children}</Text>
          <Refusal error={cancelling.error} title="Not cancelled" />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Let it go on
            </Button>
            <Button color="red.9" loading={cancelling.isPending} onClick={() => cancelling.mutate()}>
              Cancel the {kind}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
