import type { ReactNode } from "react";
import { LongText } from "~/components/json-view";
import classes from "~/components/section.module.css";

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={classes.section}>
      <h3>{title}</h3>
      {children}
    </div>
  );
}

/** Foreign words, as they are. */
export function PlainText({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: not a set of fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <div className={classes.text} role="group" tabIndex={0} aria-label={label} data-scrolls>
      <LongText text={text} />
    </div>
  );
}

/** Names and values, one pair per line; what is null is left out. */
export function Pairs({ pairs }: { pairs: [name: string, value: ReactNode | null][] }) {
  return (
    <dl className={classes.pairs}>
      {pairs
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <Pair key={name} name={name} value={value} />
        ))}
    </dl>
  );
}

function Pair({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
