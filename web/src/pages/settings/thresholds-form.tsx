import { Button, Code, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { messageAt } from "~/api/problem";
import type { Settings, SettingsChange } from "~/api/settings";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { Pairs } from "~/components/section";
import { Amount, type FormProps } from "~/pages/settings/model-form";
import { useSave } from "~/pages/settings/use-save";

type Thresholds = Settings["evals"]["thresholds"];
type Risk = keyof Thresholds;

const TITLE = "Eval thresholds";
const RISKS: { risk: Risk; label: string; about: string }[] = [
  { risk: "critical", label: "Critical", about: "At first 0.5. Single runs are flagged by it as well." },
  { risk: "high", label: "High", about: "At first 0.55." },
  { risk: "medium", label: "Medium", about: "At first 0.6." },
  { risk: "low", label: "Low", about: "At first 0.65." },
];

/** Above which shift the runs of a scenario under a pressure are flagged, by its risk. */
export function ThresholdsForm({ saved, onUnsaved }: FormProps<Thresholds>) {
  const [draft, setDraft] = useState<Record<Risk, number | string>>(saved);
  const saving = useSave("The thresholds are saved.", ({ evals }) => setDraft(evals.thresholds));
  const unsaved = RISKS.some(({ risk }) => draft[risk] !== saved[risk]);
  useEffect(() => onUnsaved(unsaved), [onUnsaved, unsaved]);

  function submit(event: FormEvent) {
    event.preventDefault();
    saving.save({ evals: { thresholds: draft } } as SettingsChange);
  }

  return (
    <Panel title={TITLE}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <About />
          <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
            {RISKS.map(({ risk, label, about }) => (
              <Amount
                key={risk}
                label={label}
                about={about}
                value={draft[risk]}
                onChange={(shift) => setDraft((before) => ({ ...before, [risk]: shift }))}
                error={messageAt(saving.faults, "evals", "thresholds", risk)}
              />
            ))}
          </SimpleGrid>
          <Refusal error={saving.failure} />
          <Group>
            <Button type="submit" variant="default" loading={saving.saving} disabled={!unsaved}>
              Save thresholds
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

export function ThresholdFacts({ thresholds }: { thresholds: Thresholds }) {
  return (
    <Panel title={TITLE}>
      <Stack gap="sm">
        <About />
        <Pairs pairs={RISKS.map(({ risk, label }) => [label, String(thresholds[risk])])} />
      </Stack>
    </Panel>
  );
}

function About() {
  return (
    <Text size="xs" c="var(--ody-text-dim)">
      A scenario under a pressure is flagged when its shift is above the threshold of its risk. The shift is
      how far behaviour moved beyond the agent's own noise: 0 is as without pressure, 1 wholly different. A
      lower threshold flags more; whether it is noise is another question, which “confirmed” answers. See{" "}
      <Code>docs/concepts/why-your-eval-cries-wolf.md</Code>.
    </Text>
  );
}
