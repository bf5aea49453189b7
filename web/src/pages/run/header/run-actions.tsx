import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconDownload, IconPlayerStop, IconRefresh } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createLink } from "@tanstack/react-router";
import { forwardRef, memo } from "react";
import { api, data } from "~/api/client";
import { asProblem } from "~/api/problem";
import { sessionQuery } from "~/api/queries";
import { downloadJson } from "~/components/download";
import { RecordCassette } from "~/pages/run/header/record-cassette";
import { isLive } from "~/pages/run/model/events";
import type { RunView } from "~/pages/run/view";

const ButtonLink = createLink(
  forwardRef<HTMLAnchorElement, React.ComponentProps<typeof Button<"a">>>(function ButtonLink(props, ref) {
    return <Button component="a" {...props} ref={ref} />;
  }),
);

export const RunActions = memo(function RunActions({ view }: { view: RunView }) {
  const { data: session } = useQuery(sessionQuery);
  const mayAct = session !== undefined && session.person.role !== "viewer";
  const last = view.attempts.at(-1);
  const live = view.trace.events.filter((event) => event.attempt === last && isLive(event)).length;
  return (
    <>
      {mayAct && view.running && <Cancel view={view} />}
      {mayAct && (
        <ButtonLink
          to="/runs/new"
          search={{ like: view.run.id }}
          variant="default"
          leftSection={<IconRefresh size={15} aria-hidden />}
        >
          Run again with changes
        </ButtonLink>
      )}
      {mayAct && !view.running && live > 0 && <RecordCassette runId={view.run.id} calls={live} />}
      <Button
        variant="default"
        leftSection={<IconDownload size={15} aria-hidden />}
        onClick={() => download(view)}
        disabled={view.trace.state === "loading"}
      >
        Download trace
      </Button>
    </>
  );
});

function download({ run, trace }: RunView) {
  downloadJson({ run, events: trace.events }, `run-${run.id}-trace.json`);
}

function Cancel({ view: { run } }: { view: RunView }) {
  const [asking, { open, close }] = useDisclosure(false);
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => data(api.POST("/api/runs/{run_id}/cancel", { params: { path: { run_id: run.id } } })),
    onSuccess: () => {
      close();
      notifications.show({ message: `Run ${run.id} is cancelled.` });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["runs"] }),
  });
  return (
    <>
      <Button variant="default" leftSection={<IconPlayerStop size={15} aria-hidden />} onClick={open}>
        Cancel run
      </Button>
      <Modal
        opened={asking}
        onClose={close}
        title={`Cancel run ${run.id}?`}
        size="sm"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        <Stack gap="sm">
          <Text size="sm">
            Its token stops working at once, the connection to the agent is closed, and a late reply is
            dropped. What happened so far stays in the trace.
          </Text>
          {cancel.error && (
            <Alert color="red" role="alert">
              {asProblem(cancel.error).detail}
            </Alert>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Let it run
            </Button>
            <Button color="red" loading={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel run
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
