import { Text } from "@mantine/core";
import { TextLink } from "~/components/page";
import type { RunView } from "~/pages/run/view";

/** A run without any grade: it never had anything to be graded by. */
export function Ungraded({ view }: { view: RunView }) {
  const { status } = view.run;
  return (
    <>
      <Text size="sm">
        {status === "cancelled"
          ? "A cancelled run is not graded."
          : status === "failed"
            ? "The run failed before there was anything to grade."
            : "There is nothing to grade it by."}
      </Text>
      {status === "completed" && <WhatToAdd view={view} mode={null} />}
    </>
  );
}

/** What would make a verdict possible, by why there is none. */
export function WhatToAdd({ view: { run }, mode }: { view: RunView; mode: string | null }) {
  if (run.status !== "completed") return null;
  const settings = (
    <TextLink to="/settings" inherit underline="always">
      Settings
    </TextLink>
  );
  if (mode === "budget_exhausted") {
    return (
      <Text size="sm" c="var(--ody-text-dim)">
        Raise the budget in {settings}, or grade it again tomorrow: budgets are per day of UTC.
      </Text>
    );
  }
  if (mode === "world_at_fault") {
    return (
      <Text size="sm" c="var(--ody-text-dim)">
        The task lacks nothing. Mend what answers for these tools, by another engine, a program or a line of
        behaviour, then{" "}
        <TextLink to="/runs/new" search={{ like: run.id }} inherit underline="always">
          run it again
        </TextLink>
        .
      </Text>
    );
  }
  if (mode === "grader_failed") {
    return (
      <Text size="sm" c="var(--ody-text-dim)">
        A broken grader is no verdict about the agent. Look at the judge in {settings} or at the check, then
        grade it again.
      </Text>
    );
  }
  return (
    <Text size="sm" c="var(--ody-text-dim)">
      To get a verdict, add checks, a rubric or an expected refusal:{" "}
      <TextLink to="/runs/new" search={{ like: run.id }} inherit underline="always">
        run it again with changes
      </TextLink>
      . Or set a judge model in {settings} and grade it again.
    </Text>
  );
}
