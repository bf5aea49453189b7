import { Button, Stack } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { EvalRunsBody } from "~/api/scenarios";
import { startEvalRuns } from "~/api/scenarios";
import { useMayChange } from "~/components/may-change";
import { Refusal } from "~/components/refusal";

/** Only what is not as it is by default. */
export type Wanted = Pick<EvalRunsBody, "scenario_id"> & Partial<EvalRunsBody>;

/** Starts the runs that are missing; viewers are told nothing, since they cannot. */
export function StartRuns({ wanted, label }: { wanted: Wanted[]; label: string }) {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const start = useMutation({
    mutationFn: async () => {
      for (const body of wanted) await startEvalRuns(body as EvalRunsBody);
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ["evals"] }),
  });
  if (!mayChange || wanted.length === 0) return null;
  return (
    <Stack gap="xs" align="flex-start">
      <Button
        variant="light"
        leftSection={<IconPlayerPlay size={14} />}
        loading={start.isPending}
        onClick={() => start.mutate()}
      >
        Run {label}
      </Button>
      {start.error && <Refusal error={start.error} title="Not started" />}
    </Stack>
  );
}
