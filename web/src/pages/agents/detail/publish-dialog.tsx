import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Agent, agentQuery, versionQuery } from "~/api/queries";
import { DiffView } from "~/components/json-diff/diff-view";
import { diffJson } from "~/components/json-diff/json-diff";
import { Refusal } from "~/components/refusal";
import { ErrorState, RowsLoading } from "~/components/states";
import { ReadingsSummary } from "~/pages/agents/detail/readings";
import { contentOf } from "~/pages/agents/form/draft";
import { publishAgent } from "~/pages/agents/form/save-agent";

interface PublishDialogProps {
  agent: Agent;
  opened: boolean;
  onClose: () => void;
}

/** Says what runs will see differently, then publishes. */
export function PublishDialog({ agent, opened, onClose }: PublishDialogProps) {
  const client = useQueryClient();
  const publish = useMutation({
    mutationFn: () => publishAgent(agent.id),
    onSuccess: (published) => {
      client.setQueryData(agentQuery(agent.id).queryKey, published);
      void client.invalidateQueries({ queryKey: ["agents"] });
      notifications.show({
        message: `Version ${published.version} is published: new runs use it.`,
        color: "teal",
      });
      onClose();
    },
  });
  return (
    <Modal opened={opened} onClose={onClose} title={`Publish version ${agent.version}`} size="lg">
      <Stack gap="sm">
        {agent.published_version === null ? (
          <Text size="sm">
            The first version to be published. From then on the agent can be given runs: each gets version{" "}
            {agent.version} with {agent.tools_schema.length} tools.
          </Text>
        ) : (
          <ChangesSince agent={agent} published={agent.published_version} />
        )}
        <ReadingsSummary agent={agent} />
        <Refusal error={publish.error} title="Not published" />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={publish.isPending} onClick={() => publish.mutate()}>
            Publish version {agent.version}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function ChangesSince({ agent, published }: { agent: Agent; published: number }) {
  const { data: before, error } = useQuery(versionQuery(agent.id, published));
  if (error) return <ErrorState error={error} />;
  if (!before) return <RowsLoading rows={3} />;
  return (
    <>
      <Text size="sm">
        New runs use version {agent.version} in place of {published}. Runs that exist keep the version they
        started with. What changes:
      </Text>
      <DiffView changes={diffJson(contentOf(before), contentOf(agent))} />
    </>
  );
}
