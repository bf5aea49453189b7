import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDeviceAudioTape } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { cassetteQuery, cassettesQuery, recordCassette } from "~/api/cassettes";
import { asProblem, messageAt } from "~/api/problem";
import { counted } from "~/components/counted";
import { Refusal } from "~/components/refusal";

/** Keeps the passthrough calls of a run, to be replayed by others. */
export function RecordCassette({ runId, calls }: { runId: number; calls: number }) {
  const [asking, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" leftSection={<IconDeviceAudioTape size={15} aria-hidden />} onClick={open}>
        Record cassette
      </Button>
      <Modal opened={asking} onClose={close} title={`Record the live tools of run ${runId}`} size="md">
        <RecordForm runId={runId} calls={calls} />
      </Modal>
    </>
  );
}

function RecordForm({ runId, calls }: { runId: number; calls: number }) {
  const [name, setName] = useState(`Run ${runId}`);
  const navigate = useNavigate();
  const client = useQueryClient();
  const recording = useMutation({
    mutationFn: () => recordCassette(name, runId),
    onSuccess: (cassette) => {
      client.setQueryData(cassetteQuery(cassette.id).queryKey, cassette);
      void client.invalidateQueries({ queryKey: cassettesQuery.queryKey, exact: true });
      void navigate({ to: "/cassettes/$cassetteId", params: { cassetteId: cassette.id } });
    },
  });
  const faults = recording.error === null ? [] : asProblem(recording.error).errors;
  const atName = messageAt(faults, "name");

  function submit(event: FormEvent) {
    event.preventDefault();
    recording.mutate();
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">
          {counted(calls, "passthrough call")} of the last attempt, with what came of each. Other runs replay
          them without the network.
        </Text>
        <TextInput
          data-autofocus
          label="Name"
          maxLength={255}
          required
          withAsterisk={false}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={atName}
        />
        {atName === null && (
          <Refusal error={faults[0] ? new Error(faults[0].msg) : recording.error} title="Not recorded" />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={recording.isPending}>
            Record
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
