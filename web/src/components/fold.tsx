import { UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import classes from "~/components/fold.module.css";

interface FoldProps {
  label: ReactNode;
  mono?: boolean;
  open?: boolean;
  children: ReactNode;
}

/** Closed at first; what is inside is made only when it is opened. */
export function Fold({ label, mono = false, open: openAtFirst = false, children }: FoldProps) {
  const [open, setOpen] = useState(openAtFirst);
  return (
    <div>
      <UnstyledButton
        className={classes.fold}
        data-mono={mono || undefined}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <IconChevronRight size={13} aria-hidden className={classes.chevron} data-open={open || undefined} />
        <span>{label}</span>
      </UnstyledButton>
      {open && <div className={classes.folded}>{children}</div>}
    </div>
  );
}
