import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "~/components/list/list.module.css";

interface PageTurnsProps {
  /** Where the page begins; undefined for the first. */
  cursor: string | undefined;
  /** Where the next page begins; none after the last. */
  next: string | null | undefined;
  /** Another page is on its way. */
  stale: boolean;
  first?: "First" | "Newest";
  onTurn: (cursor: string | undefined) => void;
}

/** The way to the first page of a list and to the next. */
export function PageTurns({ cursor, next, stale, first = "First", onTurn }: PageTurnsProps) {
  return (
    <Group gap="xs" component="nav" aria-label="Pages">
      <Button variant="default" disabled={cursor === undefined} onClick={() => onTurn(undefined)}>
        {first}
      </Button>
      <Button variant="default" disabled={!next || stale} onClick={() => onTurn(next ?? undefined)}>
        Next
      </Button>
    </Group>
  );
}

/** Below a list that has more than one page; `children` says how much is shown. */
export function ListFooter({ children, ...turns }: PageTurnsProps & { children?: ReactNode }) {
  if (turns.cursor === undefined && !turns.next) return null;
  return (
    <Group justify="space-between" px="md" py="xs" className={classes.footer ?? ""}>
      <Text size="xs" c="var(--ody-text-dim)">
        {children}
      </Text>
      <PageTurns {...turns} />
    </Group>
  );
}
