import { Button, Group, Stack, Text } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { messageAt } from "~/api/problem";
import type { Settings, SettingsChange } from "~/api/settings";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import { Amount, type FormProps } from "~/pages/settings/model-form";
import { useSave } from "~/pages/settings/use-save";

type Budgets = Settings["budgets"];

/** What models may cost in a day; a judge that would exceed it is not asked. */
export function BudgetsForm({ saved, onUnsaved }: FormProps<Budgets>) {
  const [draft, setDraft] = useState(() => draftOf(saved));
  const saving = useSave("The budgets are saved.", ({ budgets }) => setDraft(draftOf(budgets)));
  const at = (name: string) => messageAt(saving.faults, "budgets", name);
  const now = draftOf(saved);
  const unsaved = draft.usd !== now.usd || draft.calls !== now.calls;
  useEffect(() => onUnsaved(unsaved), [onUnsaved, unsaved]);

  function submit(event: FormEvent) {
    event.preventDefault();
    const budgets = { usd_per_day: draft.usd === "" ? null : draft.usd, calls_per_day: draft.calls };
    saving.save({ budgets } as SettingsChange);
  }

  return (
    <Panel title="Budgets of a day">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Amount
            label="Money"
            about="Blank: no limit."
            prefix="$"
            value={draft.usd}
            onChange={(usd) => setDraft({ ...draft, usd })}
            error={at("usd_per_day")}
          />
          <Amount
            label="Model calls"
            about="In a day of UTC."
            value={draft.calls}
            onChange={(calls) => setDraft({ ...draft, calls })}
            error={at("calls_per_day")}
          />
          <Text size="xs" c="var(--ody-text-dim)">
            Once a budget is used up no model is asked: runs that need the judge stay without a verdict until
            they are graded again, and calls that need the simulator are answered with an error.
          </Text>
          <Refusal error={saving.failure} />
          <Group>
            <Button type="submit" variant="default" loading={saving.saving} disabled={!unsaved}>
              Save budgets
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function draftOf({ usd_per_day, calls_per_day }: Budgets): { usd: number | string; calls: number | string } {
  return { usd: usd_per_day ?? "", calls: calls_per_day };
}
