import { Button, Group, Text } from "@mantine/core";
import type { ScenarioSummary } from "~/api/scenarios";
import { counted } from "~/components/counted";
import classes from "~/pages/scenarios/scenarios.module.css";
import type { Selection } from "~/pages/scenarios/use-selection";

interface ListFooterProps {
  rows: ScenarioSummary[];
  selection: Selection;
  /** What the button to the first page says. */
  first: string;
  /** Undefined on the first page. */
  onFirst: (() => void) | undefined;
  /** Undefined on the last page. */
  onNext: (() => void) | undefined;
}

/** How many there are, how many are chosen, and the way to the others. */
export function ListFooter({ rows, selection, first, onFirst, onNext }: ListFooterProps) {
  const paged = onFirst !== undefined || onNext !== undefined;
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
        {paged && (
          <Group gap="xs" component="nav" aria-label="Pages">
            <Button variant="default" disabled={!onFirst} onClick={onFirst}>
              {first}
            </Button>
            <Button variant="default" disabled={!onNext} onClick={onNext}>
              Next
            </Button>
          </Group>
        )}
      </Group>
    </Group>
  );
}
