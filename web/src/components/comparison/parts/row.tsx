import type { CSSProperties, ReactNode } from "react";
import classes from "~/components/comparison/side-by-side.module.css";

/** How the differences of a part are counted: over both runs, from 0. */
export interface Numbering {
  from: number;
  total: number;
  /** Whether differences of this part are marked at all. */
  compared: boolean;
}

/** What tells a difference: its number, and whether it is the first of all. */
export function marked(number: number, numbering: Numbering, where: string) {
  return {
    "data-difference": number,
    "data-first": number === 0 || undefined,
    "data-where": where,
    tabIndex: -1,
    role: "group" as const,
    "aria-label": `Difference ${number + 1} of ${numbering.total}: ${where}`,
  };
}

interface RowProps {
  /** Of the difference that begins here; null: none does. */
  number: number | null;
  numbering: Numbering;
  where: string;
  same: boolean;
  depth?: number;
  left: ReactNode;
  right: ReactNode;
}

/** One line of both runs. */
export function Row({ number, numbering, where, same, depth = 0, left, right }: RowProps) {
  const differs = !same && numbering.compared;
  return (
    <div
      className={classes.row}
      data-same={same || undefined}
      data-differs={differs || undefined}
      {...(number !== null && marked(number, numbering, where))}
    >
      {number === 0 && <FirstMark where={where} />}
      <Values left={left} right={right} depth={depth} sign={differs ? signOf(left, right) : ""} />
    </div>
  );
}

function signOf(left: ReactNode, right: ReactNode): string {
  if (left === undefined) return "+";
  return right === undefined ? "−" : "≠";
}

export function FirstMark({ where }: { where: string }) {
  return (
    <div className={classes.first}>
      <b>First difference</b> <code>{where}</code>
    </div>
  );
}

interface ValuesProps {
  left: ReactNode;
  right: ReactNode;
  depth?: number;
  sign?: string;
}

export function Values({ left, right, depth = 0, sign = "" }: ValuesProps) {
  const indent = { "--depth": Math.min(depth, 12) } as CSSProperties;
  return (
    <div className={classes.values} style={indent}>
      <div className={classes.value} data-side="left">
        {left}
      </div>
      <div className={classes.sign} aria-hidden>
        {sign}
      </div>
      <div className={classes.value} data-side="right">
        {right}
      </div>
    </div>
  );
}
