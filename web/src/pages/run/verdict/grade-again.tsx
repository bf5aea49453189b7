import { Button, Text } from "@mantine/core";
import { IconGavel } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, data } from "~/api/client";
import { asProblem } from "~/api/problem";
import { runQuery } from "~/api/queries";
import { useMayChange } from "~/components/may-change";
import type { RunView } from "~/pages/run/view";

/** Grades a run that has ended by the graders and settings of today. */
export function GradeAgain({ view: { run, running, grading } }: { view: RunView }) {
  const mayGrade = useMayChange();
  const client = useQueryClient();
  const grade = useMutation({
    mutationFn: () => data(api.POST("/api/runs/{run_id}/grade", { params: { path: { run_id: run.id } } })),
    onSuccess: (summary) => {
      client.setQueryData(runQuery(run.id).queryKey, (shown) => shown && { ...shown, ...summary });
      void client.invalidateQueries({ queryKey: ["runs", "list"] });
    },
  });
  if (running || !mayGrade) return null;
  return (
    <>
      {grade.error && (
        <Text size="xs" c="var(--band-red)" role="alert">
          {asProblem(grade.error).detail}
        </Text>
      )}
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconGavel size={14} aria-hidden />}
        disabled={grading}
        loading={grade.isPending}
        onClick={() => grade.mutate()}
      >
        {run.grades.length === 0 ? "Grade" : "Grade again"}
      </Button>
    </>
  );
}
