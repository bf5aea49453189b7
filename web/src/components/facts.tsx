import { Paper } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "~/components/facts.module.css";

/** What there is to know about something before looking into it: one strip of `Fact`s. */
export function Facts({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Paper withBorder bg="var(--ody-surface)" component="section" aria-label={label}>
      <dl className={classes.facts}>{children}</dl>
    </Paper>
  );
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
