import { Button, Group, Modal, NumberInput, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { batchQuery, MAX_UNMEASURED } from "~/api/batches";
import { api, data } from "~/api/client";
import { type Dataset, ungradableQuery } from "~/api/datasets";
import { asProblem, errorsAt, messageAt } from "~/api/problem";
import { agentsQuery } from "~/api/queries";
import { AgentField } from "~/components/agent-field";
import { counted } from "~/components/counted";
import { Refusal } from "~/components/refusal";
import { FaultsTable, faultsOf } from "~/pages/datasets/faults-table";
import { UngradableBanner } from "~/pages/datasets/ungradable-banner";

const MOST_REPEATS = 100;

interface RunDialogProps {
  dataset: Dataset;
  opened: boolean;
  onClose: () => void;
}

export function RunDialog({ dataset, opened, onClose }: RunDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Run on an agent" size="md">
      <RunForm dataset={dataset} onClose={onClose} />
    </Modal>
  );
}

function RunForm({ dataset, onClose }: Pick<RunDialogProps, "dataset" | "onClose">) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: ungradable } = useQuery(ungradableQuery(dataset.id, dataset.revision));
  const [agentId, setAgentId] = useState<number | null>(null);
  const [repeats, setRepeats] = useState<number | string>(1);
  const published = agents.filter((agent) => agent.published_version !== null);
  const chosen =
    agents.find(({ id }) => id === agentId) ?? (published.length === 1 ? published[0] : undefined);
  const start = useMutation({
    mutationFn: (body: { agent_id: number; dataset_id: number; repeats: number }) =>
      data(
        api.POST("/api/runs", { body: { ...body, simulator_cache: "use", max_unmeasured: MAX_UNMEASURED } }),
      ),
    onSuccess: ({ batch }) => {
      void client.invalidateQueries({ queryKey: ["runs", "list"] });
      void client.invalidateQueries({ queryKey: ["batches", "list"] });
      if (batch === null) return;
      client.setQueryData(batchQuery(batch.id).queryKey, batch);
      void navigate({ to: "/batches/$batchId", params: { batchId: batch.id } });
    },
  });
  const problem = start.error === null ? null : asProblem(start.error);
  const rows = problem ? errorsAt(problem.errors, "rows") : [];
  const times = typeof repeats === "number" && repeats >= 1 ? repeats : null;
  const ready = chosen?.published_version != null && times !== null;

  function submit(event: FormEvent) {
    event.preventDefault();
    if (ready) start.mutate({ agent_id: chosen.id, dataset_id: dataset.id, repeats: times });
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <AgentField
          agents={agents}
          chosen={chosen}
          onChoose={(id) => {
            start.reset();
            setAgentId(id);
          }}
          error={problem && messageAt(problem.errors, "agent_id")}
        />
        <NumberInput
          label="Repeats"
          description="How often each row is run. One run says little about an agent that is not always the same; from five on, pass^k tells how reliable it is."
          min={1}
          max={MOST_REPEATS}
          clampBehavior="strict"
          allowDecimal={false}
          value={repeats}
          onChange={setRepeats}
          error={problem && messageAt(problem.errors, "repeats")}
          w={{ base: "100%", xs: 320 }}
        />
        <Text size="sm" role="status">
          {counted(dataset.row_count, "row")}
          {times !== null && ` × ${times} = ${counted(dataset.row_count * times, "run")}`}
        </Text>
        <UngradableBanner found={ungradable} />
        {rows.length > 0 ? (
          <>
            <Text size="sm">These rows do not fit the agent’s ledger schema, so nothing was started.</Text>
            <FaultsTable
              faults={faultsOf(rows)}
              tone="red"
              onShow={(cell) => {
                onClose();
                void navigate({
                  to: "/datasets/$datasetId",
                  params: { datasetId: dataset.id },
                  search: cell,
                });
              }}
            />
          </>
        ) : (
          <Refusal error={problem} title="Not started" />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!ready} loading={start.isPending}>
            Start
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
