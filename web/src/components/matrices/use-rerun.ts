import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { matricesChanged, rerunMatrix } from "~/api/matrices";
import { asProblem } from "~/api/problem";
import { counted } from "~/components/counted";

/** Runs a matrix again on what is published now, and goes to the new one. */
export function useRerun() {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: rerunMatrix,
    onSuccess: ({ id, planned_runs }) => {
      matricesChanged(client);
      notifications.show({ message: `${counted(planned_runs, "run")} started` });
      void navigate({ to: "/matrices/$matrixId", params: { matrixId: id } });
    },
    onError: (error) =>
      notifications.show({ color: "red", title: "Not started", message: asProblem(error).detail }),
  });
}
