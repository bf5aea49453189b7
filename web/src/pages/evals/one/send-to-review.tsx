import { Alert, Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconInfoCircle, IconMessageQuestion } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { asProblem, messageAt } from "~/api/problem";
import { MOST_NOTES, openItemOf, REVIEWS, submitRun } from "~/api/reviews";
import { useMayChange } from "~/components/may-change";
import { TextLink } from "~/components/page";
import { Refusal } from "~/components/refusal";

/** Has somebody look at a run, whatever the platform says of it. */
export function SendToReview({ runId }: { runId: number }) {
  const [opened, setOpened] = useState(false);
  if (!useMayChange()) return null;
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconMessageQuestion size={14} />}
        onClick={() => setOpened(true)}
      >
        Send to review
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Send run ${runId} to review`} size="md">
        <SendForm runId={runId} onClose={() => setOpened(false)} />
      </Modal>
    </>
  );
}

function SendForm({ runId, onClose }: { runId: number; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [notes, setNotes] = useState("");
  const send = useMutation({
    mutationFn: () => submitRun({ run_id: runId, notes }),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: REVIEWS });
      notifications.show({ message: `Run ${runId} waits for its verdict.` });
      onClose();
      void navigate({ to: "/review", search: { item: id } });
    },
  });
  const problem = send.error === null ? null : asProblem(send.error);

  function submit(event: FormEvent) {
    event.preventDefault();
    send.mutate();
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">
          It comes right after what is confirmed, and stays in the queue until somebody says what it is.
        </Text>
        <Textarea
          data-autofocus
          label="Notes"
          description="Why it should be looked at"
          size="sm"
          autosize
          minRows={3}
          maxRows={10}
          maxLength={MOST_NOTES}
          value={notes}
          onChange={({ currentTarget }) => setNotes(currentTarget.value)}
          error={problem && messageAt(problem.errors, "notes")}
        />
        {problem?.code === "in_review" ? (
          <InReview runId={runId} />
        ) : (
          problem?.errors.length === 0 && <Refusal error={problem} title="Not sent" />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={send.isPending}>
            Send to review
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function InReview({ runId }: { runId: number }) {
  const { data: item } = useQuery({
    queryKey: [...REVIEWS, "of run", runId],
    queryFn: () => openItemOf(runId),
    staleTime: 0,
  });
  return (
    <Alert role="alert" color="gray" variant="light" py="xs" icon={<IconInfoCircle size={16} />}>
      This run waits for its verdict already, so it was not sent again.{" "}
      {item && (
        <TextLink to="/review" search={{ item: item.id }} underline="always">
          Go to its item
        </TextLink>
      )}
    </Alert>
  );
}
