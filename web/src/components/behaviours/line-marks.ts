/** What the server says of each line, drawn into the editor: a mark beside it, an underline, words when pointed at. */
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { type EditorState, RangeSet, StateEffect, StateField, type Text } from "@codemirror/state";
import { type EditorView, GutterMarker, gutter, hoverTooltip } from "@codemirror/view";
import type { BehaviourLine } from "~/api/behaviours";
import classes from "~/components/behaviours/behaviours.module.css";
import { isContinued } from "~/components/behaviours/continued";
import { LEFT } from "~/components/behaviours/left";
import { behaviourInWords } from "~/components/behaviours/sentence";

class Mark extends GutterMarker {
  constructor(readonly line: BehaviourLine) {
    super();
  }

  override eq(other: Mark): boolean {
    return (this.line.rule === null) === (other.line.rule === null) && this.line.text === other.line.text;
  }

  override toDOM(): HTMLElement {
    const mark = document.createElement("span");
    mark.className = (this.line.rule === null ? classes.left : classes.understood) ?? "";
    return mark;
  }
}

const linesRead = StateEffect.define<BehaviourLine[]>();

/** Marks move with their lines, and stay until the next reading. */
const marks = StateField.define<RangeSet<Mark>>({
  create: () => RangeSet.empty,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(linesRead)) return marksOf(transaction.state.doc, effect.value);
    }
    return marks.map(transaction.changes);
  },
});

function marksOf(doc: Text, lines: BehaviourLine[]): RangeSet<Mark> {
  const said = lines.filter(({ number, rule, problem }) => number <= doc.lines && (rule ?? problem) !== null);
  return RangeSet.of(
    said.map((line) => new Mark(line).range(doc.line(line.number).from)),
    true,
  );
}

const inWords = hoverTooltip((view, position) => {
  const line = lineOver(view.state, position);
  if (line === null || line.rule === null) return null;
  const { rule } = line;
  return {
    pos: view.state.doc.line(line.number).from,
    above: true,
    create() {
      const dom = document.createElement("div");
      dom.className = classes.words ?? "";
      dom.textContent = behaviourInWords(rule);
      return { dom };
    },
  };
});

export const lineMarks = [
  marks,
  gutter({ class: classes.marks ?? "", markers: (view) => view.state.field(marks) }),
  inWords,
];

/** What was read where a place is, by the number its line has now. */
function lineOver(state: EditorState, position: number): BehaviourLine | null {
  for (let line = state.doc.lineAt(position); ; line = state.doc.line(line.number - 1)) {
    const mark = markAt(state, line.from);
    if (mark !== null) return { ...mark.line, number: line.number };
    if (line.number === 1 || !isContinued(line.text)) return null;
  }
}

function markAt(state: EditorState, from: number): Mark | null {
  const cursor = state.field(marks).iter(from);
  return cursor.value !== null && cursor.from === from ? cursor.value : null;
}

/** Draw a reading of exactly this text. */
export function showLines(view: EditorView, lines: BehaviourLine[]): void {
  const { doc } = view.state;
  const found = lines.filter(({ number, problem }) => problem !== null && number <= doc.lines);
  view.dispatch({ effects: linesRead.of(lines) });
  view.dispatch(
    setDiagnostics(
      view.state,
      found.map((line) => diagnosticOf(doc, line)),
    ),
  );
}

const TOKEN = /^(?:[\w.]+|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\S)/;

function diagnosticOf(doc: Text, line: BehaviourLine): Diagnostic {
  const { from, to, text } = doc.line(line.number);
  const isProse = line.problem?.endsWith(LEFT) ?? false;
  const at =
    line.column === null || isProse ? null : Math.min(from + unitsBefore(line.text, line.column), doc.length);
  const token = at === null ? null : TOKEN.exec(doc.sliceString(at, doc.lineAt(at).to));
  const whole = { from: from + (text.length - text.trimStart().length), to };
  return {
    ...(at !== null && token !== null ? { from: at, to: at + token[0].length } : whole),
    severity: "warning",
    message: saidOf(line),
  };
}

/** A column counts characters from 1, on through the lines that continue the first; the editor counts UTF-16 units. */
function unitsBefore(text: string, column: number): number {
  return [...text].slice(0, column - 1).join("").length;
}

/** Why a line is left to the model, and what would mend it. */
function saidOf({ problem, hint }: BehaviourLine): string {
  return [problem, hint].filter(Boolean).join("; ");
}
