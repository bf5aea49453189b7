import type { Line, Shown } from "~/components/comparison/diff/json-lines";
import { compareTexts, countWords, type Texts } from "~/components/comparison/diff/words";
import { Folding } from "~/components/comparison/parts/folding";
import { type Numbering, Row } from "~/components/comparison/parts/row";
import { Pieces } from "~/components/comparison/parts/text-row";
import classes from "~/components/comparison/side-by-side.module.css";
import { LongText } from "~/components/json-view";

const PROSE_WORDS = 6;
const KINDS = { string: classes.string, number: classes.digits, word: classes.word, head: "" };

/** The lines of two values; long stretches that are the same are folded. */
export function LineRows({ lines, numbering }: { lines: Line[]; numbering: Numbering }) {
  let number = numbering.from;
  const numbered = lines.map((line) => ({
    line,
    number: line.begins && numbering.compared ? number++ : null,
  }));
  return (
    <Folding
      items={numbered}
      isSame={({ line }) => line.same}
      what="line"
      render={({ line, number: own }) => <LineRow line={line} number={own} numbering={numbering} />}
    />
  );
}

function LineRow({ line, number, numbering }: { line: Line; number: number | null; numbering: Numbering }) {
  const texts = line.same ? null : prose(line);
  return (
    <Row
      number={number}
      numbering={numbering}
      where={line.path}
      same={line.same}
      depth={line.depth}
      left={
        line.left && <Side name={line.name} shown={line.left} pieces={texts && { of: texts, side: "left" }} />
      }
      right={
        line.right && (
          <Side name={line.name} shown={line.right} pieces={texts && { of: texts, side: "right" }} />
        )
      }
    />
  );
}

/** The lines of one value alone. */
export function PlainLines({ lines, side }: { lines: Line[]; side: "left" | "right" }) {
  return lines.map((line, at) => {
    const shown = line[side];
    return (
      shown && (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity beside their place
        <div key={at} className={classes.plain} style={{ paddingLeft: line.depth * 14 }}>
          <Side name={line.name} shown={shown} pieces={null} />
        </div>
      )
    );
  });
}

interface SideProps {
  name: string | null;
  shown: NonNullable<Shown>;
  pieces: { of: Texts; side: "left" | "right" } | null;
}

function Side({ name, shown, pieces }: SideProps) {
  return (
    <>
      {name !== null && <span className={classes.name}>{name}</span>}
      {name !== null && (shown.kind === "head" ? "" : ": ")}
      {pieces === null ? (
        <LongText className={KINDS[shown.kind]} text={shown.text} />
      ) : (
        <span className={classes.string}>
          “<Pieces texts={pieces.of} side={pieces.side} />”
        </span>
      )}
    </>
  );
}

/** Two texts of several words are compared word by word. */
function prose({ left, right }: Line): Texts | null {
  if (left?.kind !== "string" || right?.kind !== "string") return null;
  const [ours, theirs] = [JSON.parse(left.text) as string, JSON.parse(right.text) as string];
  if (Math.min(countWords(ours), countWords(theirs)) < PROSE_WORDS) return null;
  const texts = compareTexts(ours, theirs);
  return texts.hunks.length > 0 ? texts : null;
}
