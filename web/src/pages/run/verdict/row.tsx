import type { ReactNode } from "react";
import classes from "~/pages/run/verdict/verdict.module.css";

interface RowProps {
  mark: ReactNode;
  title: ReactNode;
  children: ReactNode;
}

/** What became of it, what it was, and why. */
export function Row({ mark, title, children }: RowProps) {
  return (
    <li className={classes.row}>
      <span className={classes.mark}>{mark}</span>
      <div className={classes.what}>{title}</div>
      <div className={classes.why}>{children}</div>
    </li>
  );
}
