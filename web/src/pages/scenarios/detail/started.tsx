import { Group, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import type { EvalRunSummary } from "~/api/evals";
import type { Scenario } from "~/api/scenarios";
import { Banner } from "~/components/banner";
import { counted } from "~/components/counted";
import { TextLink } from "~/components/page";

/** What was started, and where to watch it. */
export function Started({ scenario, runs }: { scenario: Scenario; runs: EvalRunSummary[] }) {
  const pressed = runs.filter(({ variation_type }) => variation_type !== null).length;
  const first = pressed > 0 && pressed < runs.length;
  return (
    <Banner tone="green" icon={<IconCheck size={16} aria-hidden />} label="Started">
      <Text size="sm" role="status">
        {counted(pressed || runs.length, "run")} started
        {first && ", after a baseline: this version of the agent had none"}.
      </Text>
      <Group gap="sm">
        <TextLink to="/evals/runs" search={{ scenario_id: scenario.id }} underline="always">
          See the runs
        </TextLink>
        <TextLink
          to="/scenarios/$scenarioId"
          params={{ scenarioId: scenario.id }}
          search={{ tab: "compare" }}
          underline="always"
        >
          Side by side
        </TextLink>
      </Group>
    </Banner>
  );
}
