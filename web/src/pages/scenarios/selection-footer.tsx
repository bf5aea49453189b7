import { Button, Group, Text } from "@mantine/core";
import type { ComponentProps } from "react";
import type { ScenarioSummary } from "~/api/scenarios";
import { counted } from "~/components/counted";
import { PageTurns } from "~/components/list/page-turns";
import classes from "~/pages/scenarios/scenarios.module.css";
import type { Selection } from "~/pages/scenarios/use-selection";

interface SelectionFooterProps {
  rows: ScenarioSummary[];
  selection: Selection;
  turns: ComponentProps<typeof PageTurns>;
}

/** How many there are, how many are chosen, and the way to the others. */
export function SelectionFooter({ rows, selection, turns }: SelectionFooterProps) {
  const paged = turns.cursor !== undefined || (Boolean(turns.next) && !turns.stale);
  const chosen = selection.ids.length;
  const unchosen = rows.filter(({ id }) => !selection.has(id)).map(({ id }) => id);
  return (
    <Group justify="space-between" px="md" py="xs" gap="xs" className={classes.footer ?? ""}>
      <Text size="xs" c="var(--ody-text-dim)" role="status">
        {counted(rows.length, "scenario")}
        {paged && " on this page"}
        {chosen > 0 && `, ${chosen} selected`}
        {selection.full && ", as many as one export takes"}
      </Text>
      <Group gap="xs">
        {chosen > 0 && (
          <Button variant="subtle" color="gray" onClick={selection.clear}>
            Select none
          </Button>
        )}
        {unchosen.length > 0 && !selection.full && (
          <Button variant="subtle" color="gray" onClick={() => selection.add(unchosen)}>
            Select all {paged && "on this page"}
          </Button>
        )}
        {paged && <PageTurns {...turns} />}
      </Group>
    </Group>
  );
}
