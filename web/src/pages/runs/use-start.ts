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

/** Starts the runs, then shows the one, or the list of that agent's. */
export function useStart(onStarted: () => void): Start {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const mutation = useMutation({
    mutationFn: (body: WrittenRun["body"]) =>
      data(api.POST("/api/runs", { body: body as unknown as Schemas["RunsIn"] })),
    onSuccess: ({ runs }, body) => {
      onStarted();
      void queryClient.invalidateQueries({ queryKey: ["runs", "list"] });
      const [first] = runs;
      if (runs.length === 1 && first) void navigate({ to: "/runs/$runId", params: { runId: first.id } });
      else {
        notifications.show({ message: `${runs.length} runs started` });
        void navigate({ to: "/runs", search: body.agent_id === null ? {} : { agent_id: body.agent_id } });
      }
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
