/** The calls of two runs side by side, in the order they were made. */
import type { Call } from "~/api/evals";
import { alikeAtEnds, bestPairs, type Pair, rowsOf } from "~/components/comparison/diff/align";
import { canonical, overlap } from "~/components/comparison/diff/json";
import { jsonLines, type Line } from "~/components/comparison/diff/json-lines";

export interface NumberedCall extends Call {
  /** From 1. */
  number: number;
}

export interface CallRow {
  left: NumberedCall | undefined;
  right: NumberedCall | undefined;
  same: boolean;
  /** Where it differs, in the server's words. */
  where: string;
  /** The arguments of the two; of one, if the other made another call or none. */
  lines: [Line[]] | [left: Line[], right: Line[]];
}

const SAME_TOOL = 0.25;
const MOST_COMPARISONS = 10_000;

export function compareCalls(left: Call[], right: Call[]): CallRow[] {
  return rowsOf(pairsOf(left, right), left.length, right.length).map(([ours, theirs]) =>
    rowOf(numbered(left, ours), numbered(right, theirs)),
  );
}

function numbered(calls: Call[], at: number | null): NumberedCall | undefined {
  const call = at === null ? undefined : calls[at];
  return call === undefined || at === null ? undefined : { ...call, number: at + 1 };
}

function rowOf(left: NumberedCall | undefined, right: NumberedCall | undefined): CallRow {
  const number = left?.number ?? right?.number ?? 0;
  if (left && right && left.tool === right.tool) {
    const lines = jsonLines(left.arguments, right.arguments);
    const same = lines.every((line) => line.same);
    return { left, right, same, where: `arguments of call ${number}`, lines: [lines] };
  }
  const lines: CallRow["lines"] = [
    jsonLines(left?.arguments, undefined),
    jsonLines(undefined, right?.arguments),
  ];
  return { left, right, same: false, where: `call ${number}`, lines };
}

/** What begins and ends alike belongs together; between, calls of one tool, the more their arguments share. */
function pairsOf(left: Call[], right: Call[]): Pair[] {
  const keys = (calls: Call[]) => calls.map(({ tool, arguments: given }) => `${tool} ${canonical(given)}`);
  const [ours, theirs] = [keys(left), keys(right)];
  const { start } = alikeAtEnds(ours, theirs);
  const [rows, columns] = [left.slice(start), right.slice(start)];
  const begin = Array.from({ length: start }, (_, at): Pair => [at, at]);
  if (rows.length * columns.length > MOST_COMPARISONS) {
    const rest = Math.min(rows.length, columns.length);
    return [...begin, ...Array.from({ length: rest }, (_, at): Pair => [start + at, start + at])];
  }
  const alike = rows.map((one, row) =>
    columns.map((other, column) => {
      if (ours[start + row] === theirs[start + column]) return 1;
      if (one.tool !== other.tool) return 0;
      return SAME_TOOL + (1 - SAME_TOOL) * overlap(one.arguments, other.arguments);
    }),
  );
  const found = bestPairs(alike, columns.length);
  return [...begin, ...found.map(([row, column]): Pair => [start + row, start + column])];
}
