import type { CallRow, NumberedCall } from "~/components/comparison/diff/calls";
import { Folding } from "~/components/comparison/parts/folding";
import { LineRows, PlainLines } from "~/components/comparison/parts/line-rows";
import { FirstMark, marked, type Numbering, Values } from "~/components/comparison/parts/row";
import classes from "~/components/comparison/side-by-side.module.css";
import { short } from "~/components/ledger/operations";

/** The calls of both runs; one that both made stands once with its arguments, another in its own column. */
export function CallRows({ rows, numbering }: { rows: CallRow[]; numbering: Numbering }) {
  let number = numbering.from;
  const numbered = rows.map((row) => ({ row, number: !row.same && numbering.compared ? number++ : null }));
  return (
    <Folding
      items={numbered}
      isSame={({ row }) => row.same}
      what="call"
      render={({ row, number: own }) => <OneRow row={row} number={own} numbering={numbering} />}
    />
  );
}

function OneRow({ row, number, numbering }: { row: CallRow; number: number | null; numbering: Numbering }) {
  const { left, right, same, lines } = row;
  const differs = !same && numbering.compared;
  const sameTool = left !== undefined && left.tool === right?.tool;
  const sign = !differs ? "" : left === undefined ? "+" : right === undefined ? "−" : sameTool ? "" : "≠";
  return (
    <div
      className={classes.row}
      data-call
      data-same={same || undefined}
      data-alike={sameTool || undefined}
      data-differs={(differs && !sameTool) || undefined}
      {...(number !== null && marked(number, numbering, row.where))}
    >
      {number === 0 && <FirstMark where={row.where} />}
      <Values
        sign={sign}
        left={left && <Name call={left} brief={same} />}
        right={right && <Name call={right} brief={same} />}
      />
      {!same && lines.length === 1 && (
        <div className={classes.inside}>
          <LineRows lines={lines[0].map((line) => ({ ...line, begins: false }))} numbering={numbering} />
        </div>
      )}
      {lines.length === 2 && (
        <div className={classes.inside}>
          <Values
            left={<PlainLines lines={lines[0]} side="left" />}
            right={<PlainLines lines={lines[1]} side="right" />}
          />
        </div>
      )}
    </div>
  );
}

/** `brief`: with its arguments in one line. */
function Name({ call, brief }: { call: NumberedCall; brief: boolean }) {
  return (
    <span className={classes.call}>
      <span className={classes.number}>{call.number}</span> <b>{call.tool}</b>
      {brief && <span className={classes.arguments}> {short(call.arguments)}</span>}
    </span>
  );
}
