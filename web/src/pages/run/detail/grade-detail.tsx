import { Stack, Text } from "@mantine/core";
import { failureMode } from "~/components/failure-modes";
import { percent } from "~/components/share";
import type { TraceEvent } from "~/pages/run/model/events";
import { gradeOf } from "~/pages/run/model/grades";
import { GradeView } from "~/pages/run/verdict/grade-view";
import type { RunView } from "~/pages/run/view";

/** A verdict as it was given then. */
export function GradeDetail({ view, event }: { view: RunView; event: TraceEvent }) {
  const grade = gradeOf(event);
  return (
    <Stack gap="sm" fz="sm">
      <Text size="sm" c="var(--ody-text-dim)">
        Grade {grade.number}
        {grade.score !== null && `, score ${percent(grade.score)}`}
        {grade.failure_mode !== null && `, ${failureMode(grade.failure_mode).words}`}
      </Text>
      <GradeView grade={grade} view={view} />
    </Stack>
  );
}
