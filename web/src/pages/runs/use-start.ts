import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { api, data, type Schemas } from "~/api/client";
import { asProblem, type FieldError, type Problem } from "~/api/problem";
import type { WrittenRun } from "~/pages/runs/new-run";

interface Start {
  start: (body: WrittenRun["body"]) => void;
  starting: boolean;
  /** What the server found in this body, if that is the one it refused. */
  refusals: (body: WrittenRun["body"]) => FieldError[] | null;
  /** A failure that is no field's. */
  failure: Problem | null;
}

/** Starts the runs, then shows the one, or the batch they are. */
export function useStart(onStarted: () => void): Start {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mutation = useMutation({
    mutationFn: (body: WrittenRun["body"]) =>
      data(api.POST("/api/runs", { body: body as unknown as Schemas["RunsIn"] })),
    onSuccess: ({ runs, batch }) => {
      onStarted();
      void queryClient.invalidateQueries({ queryKey: ["runs", "list"] });
      const [first] = runs;
      if (batch !== null) {
        notifications.show({ message: `${batch.planned_runs} runs started` });
        void navigate({ to: "/batches/$batchId", params: { batchId: batch.id } });
      } else if (first) void navigate({ to: "/runs/$runId", params: { runId: first.id } });
    },
  });
  const problem = mutation.error === null ? null : asProblem(mutation.error);
  const located = problem !== null && problem.status === 422 && problem.errors.length > 0;
  return {
    start: mutation.mutate,
    starting: mutation.isPending,
    refusals: (body) => (located && mutation.variables === body ? problem.errors : null),
    failure: located ? null : problem,
  };
}
