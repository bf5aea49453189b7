import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import type { Texts } from "~/components/comparison/diff/words";
import { FirstMark, marked, type Numbering, Values } from "~/components/comparison/parts/row";
import classes from "~/components/comparison/side-by-side.module.css";

const LONG = 700;
const BESIDE = 280;

/** Two texts, with the words marked that only one of them has. */
export function TextRow({ texts, numbering }: { texts: Texts; numbering: Numbering }) {
  const same = texts.hunks.length === 0;
  const first = numbering.compared && numbering.from === 0 && !same;
  return (
    <div className={classes.row} data-text data-same={same || undefined}>
      {first && <FirstMark where={texts.hunks[0] ?? ""} />}
      <Values
        left={<Pieces texts={texts} side="left" numbering={numbering} />}
        right={<Pieces texts={texts} side="right" numbering={numbering} />}
      />
    </div>
  );
}

interface PiecesProps {
  texts: Texts;
  side: "left" | "right";
  /** Makes each difference one that can be walked to. */
  numbering?: Numbering;
}

export function Pieces({ texts, side, numbering }: PiecesProps) {
  const onLeft = new Set(texts.left.map(({ hunk }) => hunk));
  const marks = numbering === undefined || numbering.compared;
  return texts[side].map(({ from, text, hunk }) => {
    if (hunk === null || !marks) return <Stretch key={from} text={text} />;
    const begins = numbering !== undefined && (side === "left" || !onLeft.has(hunk));
    const where = texts.hunks[hunk] ?? "";
    return (
      <mark
        key={from}
        className={classes.words}
        {...(begins && marked(numbering.from + hunk, numbering, where))}
      >
        {text}
      </mark>
    );
  });
}

/** What both texts have; of what is long, the ends. */
function Stretch({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  if (whole || text.length <= LONG) return <span>{text}</span>;
  return (
    <span>
      {text.slice(0, BESIDE)}
      <UnstyledButton className={classes.elided} onClick={() => setWhole(true)}>
        … {(text.length - 2 * BESIDE).toLocaleString("en")} characters the same …
      </UnstyledButton>
      {text.slice(-BESIDE)}
    </span>
  );
}
