import { UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import { type ReactNode, useId, useState } from "react";
import classes from "~/pages/runs/new-run.module.css";

interface FoldedProps {
  title: string;
  /** It has content or faults: never hide those at first. */
  inUse: boolean;
  children: ReactNode;
}

/** A part few need: one line until it is asked for. */
export function Folded({ title, inUse, children }: FoldedProps) {
  const [open, setOpen] = useState(inUse);
  const body = useId();
  return (
    <div>
      <UnstyledButton
        className={classes.fold}
        aria-expanded={open}
        aria-controls={body}
        onClick={() => setOpen(!open)}
      >
        <IconChevronRight size={14} className={classes.chevron} aria-hidden />
        {title}
      </UnstyledButton>
      <div id={body} hidden={!open} style={{ paddingTop: 8 }}>
        {open && children}
      </div>
    </div>
  );
}
