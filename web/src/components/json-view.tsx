import { Group, SegmentedControl, Text, UnstyledButton } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { writeJson } from "~/api/json";
import { Copy } from "~/components/copy";
import classes from "~/components/json-view.module.css";

const OPEN_DEPTH = 2;
const FIRST_MEMBERS = 100;
const FIRST_CHARACTERS = 2_000;

interface JsonViewProps {
  value: unknown;
  /** What the copy button and screen readers call it. */
  name: string;
  /** How many levels are open at first. */
  depth?: number;
}

/** Any JSON as text nodes: a tree to fold, or the raw document. Long strings and lists open on demand. */
export function JsonView({ value, name, depth = OPEN_DEPTH }: JsonViewProps) {
  const [raw, setRaw] = useState(false);
  const nested = typeof value === "object" && value !== null;
  return (
    <section className={classes.frame} aria-label={name}>
      <Group className={classes.tools} gap={4}>
        {nested && (
          <SegmentedControl
            size="xs"
            value={raw ? "raw" : "tree"}
            onChange={(mode) => setRaw(mode === "raw")}
            data={["tree", "raw"]}
            aria-label={`How to show ${name}`}
          />
        )}
        <Copy value={writeJson(value)} what={name} />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div className={classes.scroll} tabIndex={0}>
        {raw ? <LongText text={writeJson(value)} /> : <Value value={value} depth={depth} />}
      </div>
    </section>
  );
}

function Value({ value, depth }: { value: unknown; depth: number }): ReactNode {
  if (typeof value === "string") return <LongText className={classes.string} text={JSON.stringify(value)} />;
  if (typeof value === "number" || typeof value === "bigint")
    return <span className={classes.number}>{String(value)}</span>;
  if (typeof value !== "object" || value === null)
    return <span className={classes.word}>{String(value)}</span>;
  return <Container value={value} depth={depth} />;
}

function Container({ value, depth }: { value: object; depth: number }) {
  const list = Array.isArray(value);
  const members = Object.entries(value);
  const [open, setOpen] = useState(depth > 0); // also where members come later
  const [shown, setShown] = useState(FIRST_MEMBERS);
  const [left, right] = list ? ["[", "]"] : ["{", "}"];
  if (members.length === 0) return <span>{left + right}</span>;
  const size = list ? `${members.length} items` : `${members.length} members`;
  return (
    <>
      <UnstyledButton
        className={classes.fold}
        aria-expanded={open}
        aria-label={`${open ? "Fold" : "Unfold"} ${size}`}
        onClick={() => setOpen(!open)}
      >
        {left}
        {!open && <span className={classes.size}> {size} </span>}
        {!open && right}
      </UnstyledButton>
      {open && (
        <>
          <ul className={classes.members}>
            {members.slice(0, shown).map(([key, member]) => (
              <li key={key}>
                {!list && <span className={classes.key}>{key}</span>}
                {!list && ": "}
                <Value value={member} depth={depth - 1} />
              </li>
            ))}
            {members.length > shown && (
              <li>
                <UnstyledButton className={classes.more} onClick={() => setShown(shown + 500)}>
                  {members.length - shown} more
                </UnstyledButton>
              </li>
            )}
          </ul>
          {right}
        </>
      )}
    </>
  );
}

/** Text as it is; what is very long opens on demand. */
export function LongText({ text, className }: { text: string; className?: string | undefined }) {
  const [whole, setWhole] = useState(false);
  if (whole || text.length <= FIRST_CHARACTERS * 1.2) return <span className={className}>{text}</span>;
  return (
    <span className={className}>
      {text.slice(0, FIRST_CHARACTERS)}
      <Text span c="var(--ody-text-dim)">
        …{" "}
      </Text>
      <UnstyledButton className={classes.more} onClick={() => setWhole(true)}>
        show {(text.length - FIRST_CHARACTERS).toLocaleString("en")} more characters
      </UnstyledButton>
    </span>
  );
}
