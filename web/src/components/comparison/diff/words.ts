/** Two texts word by word. Case, punctuation and layout do not count, as for the server. */
import { alikeAtEnds, commonPairs } from "~/components/comparison/diff/align";

/** A stretch of a text. */
export interface Piece {
  /** Where it begins. */
  from: number;
  text: string;
  /** Which difference it belongs to, counted from 0; null: both have it. */
  hunk: number | null;
}

export interface Texts {
  left: Piece[];
  right: Piece[];
  /** Of each difference where it is, in the order of the texts. */
  hunks: string[];
}

interface Word {
  folded: string;
  from: number;
  to: number;
}

// Scripts written without spaces count by character; elsewhere a word is a word.
const WORD = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[\p{L}\p{N}_]+/gu;
const MOST_COMPARISONS = 4_000_000;

function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].map((found) => ({
    folded: found[0].toLowerCase(),
    from: found.index,
    to: found.index + found[0].length,
  }));
}

/** What two texts share, of 1; texts of fewer than `fewest` words are no prose and share nothing. */
export function sharedWords(left: string, right: string, fewest: number): number {
  const [ours, theirs] = [wordsOf(left), wordsOf(right)];
  if (Math.min(ours.length, theirs.length) < fewest) return 0;
  const pairs = commonPairs(folded(ours), folded(theirs), MOST_COMPARISONS) ?? [];
  return (2 * pairs.length) / (ours.length + theirs.length);
}

export function countWords(text: string): number {
  return wordsOf(text).length;
}

export function compareTexts(left: string, right: string): Texts {
  const [ours, theirs] = [wordsOf(left), wordsOf(right)];
  if (ours.length === 0 && theirs.length === 0) return wordless(left, right);
  const pairs = commonPairs(folded(ours), folded(theirs), MOST_COMPARISONS) ?? ends(ours, theirs);
  const hunks: string[] = [];
  const ofLeft = new Map<number, number>();
  const ofRight = new Map<number, number>();
  let [at, beside] = [0, 0];
  for (const [toLeft, toRight] of [...pairs, [ours.length, theirs.length] as const]) {
    if (at < toLeft || beside < toRight) {
      for (let word = at; word < toLeft; word += 1) ofLeft.set(word, hunks.length);
      for (let word = beside; word < toRight; word += 1) ofRight.set(word, hunks.length);
      hunks.push(`word ${at + 1}`);
    }
    [at, beside] = [toLeft + 1, toRight + 1];
  }
  return { left: pieces(left, ours, ofLeft), right: pieces(right, theirs, ofRight), hunks };
}

function wordless(left: string, right: string): Texts {
  const hunk = left.trim() === right.trim() ? null : 0;
  const piece = (text: string): Piece[] => (text === "" ? [] : [{ from: 0, text, hunk }]);
  return { left: piece(left), right: piece(right), hunks: hunk === null ? [] : ["text"] };
}

function folded(words: Word[]): string[] {
  return words.map((word) => word.folded);
}

/** Of texts too long to compare word by word: how they begin and end. */
function ends(left: Word[], right: Word[]): [number, number][] {
  const { start, end } = alikeAtEnds(folded(left), folded(right));
  return [
    ...Array.from({ length: start }, (_, at): [number, number] => [at, at]),
    ...Array.from({ length: end }, (_, at): [number, number] => [
      left.length - end + at,
      right.length - end + at,
    ]),
  ];
}

/** Cut a text where differences begin and end; what stands between two words of one difference belongs to it. */
function pieces(text: string, words: Word[], hunkOf: Map<number, number>): Piece[] {
  const made: Piece[] = [];
  let done = 0;
  const cut = (to: number, hunk: number | null) => {
    if (to > done) made.push({ from: done, text: text.slice(done, to), hunk });
    done = to;
  };
  let at = 0;
  while (at < words.length) {
    const hunk = hunkOf.get(at);
    if (hunk === undefined) {
      at += 1;
      continue;
    }
    cut(words[at]?.from ?? done, null);
    while (hunkOf.get(at + 1) === hunk) at += 1;
    cut(words[at]?.to ?? done, hunk);
    at += 1;
  }
  cut(text.length, null);
  return made;
}
