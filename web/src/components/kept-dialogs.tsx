import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { asProblem, messageAt } from "~/api/problem";
import { Refusal } from "~/components/refusal";

export interface Kept {
  /** What it is: "world", "dataset". */
  kind: string;
  name: string;
  /** What deleting it means, as a whole sentence or several. */
  consequence: string;
  rename: (name: string) => Promise<void>;
  /** Also leads away from its page. */
  remove: () => Promise<void>;
}

interface KeptDialogsProps extends Kept {
  asking: string | null;
  onClose: () => void;
}

/** The two questions about something that is kept under a name: what else to call it, and whether to delete it. */
export function KeptDialogs({ asking, onClose, ...kept }: KeptDialogsProps) {
  return (
    <>
      <Modal opened={asking === "rename"} onClose={onClose} title={`Rename this ${kept.kind}`} size="md">
        <RenameForm {...kept} onDone={onClose} />
      </Modal>
      <Modal opened={asking === "delete"} onClose={onClose} title={`Delete this ${kept.kind}`} size="md">
        <DeleteForm {...kept} onKeep={onClose} />
      </Modal>
    </>
  );
}

function RenameForm({ name: before, rename, onDone }: Kept & { onDone: () => void }) {
  const [name, setName] = useState(before);
  const renaming = useMutation({ mutationFn: () => rename(name), onSuccess: onDone });
  const faults = renaming.error === null ? [] : asProblem(renaming.error).errors;

  function submit(event: FormEvent) {
    event.preventDefault();
    renaming.mutate();
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          data-autofocus
          label="Name"
          maxLength={255}
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={messageAt(faults, "name") ?? messageAt(faults, "query", "name")}
        />
        {faults.length === 0 && <Refusal error={renaming.error} title="Not renamed" />}
        <Group justify="flex-end">
          <Button type="submit" loading={renaming.isPending}>
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function DeleteForm({ kind, name, consequence, remove, onKeep }: Kept & { onKeep: () => void }) {
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: () => notifications.show({ message: `${name} is deleted.` }),
  });
  return (
    <Stack gap="sm">
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {consequence}
      </Text>
      <Refusal error={removing.error} title="Not deleted" />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onKeep} data-autofocus>
          Keep it
        </Button>
        <Button color="red.9" loading={removing.isPending} onClick={() => removing.mutate()}>
          Delete the {kind}
        </Button>
      </Group>
    </Stack>
  );
}
