import { autocompletion, type CompletionSource, completionKeymap } from "@codemirror/autocomplete";
import { bracketMatching } from "@codemirror/language";
import { Prec } from "@codemirror/state";
import { EditorView, highlightSpecialChars, keymap } from "@codemirror/view";
import { type RefObject, useEffect, useImperativeHandle } from "react";
import classes from "~/components/behaviours/behaviours.module.css";
import { isContinued } from "~/components/behaviours/continued";
import { behaviourLanguage } from "~/components/behaviours/language";
import { lineMarks, showLines } from "~/components/behaviours/line-marks";
import type { Reading } from "~/components/behaviours/use-reading";
import editorClasses from "~/components/code-editor.module.css";
import { useCodeMirror } from "~/components/code-mirror";
import { useLatest } from "~/components/use-latest";

export interface LinesHandle {
  /** As a line of its own, where the cursor is. */
  insert: (line: string) => void;
  goTo: (line: number) => void;
}

export interface LinesEditorProps {
  value: string;
  onChange: (text: string) => void;
  reading: Reading;
  /** The number of the line the cursor is in. */
  onLine: (line: number) => void;
  completions: CompletionSource;
  placeholder: string;
  minHeight: number;
  labelledBy: string;
  describedBy: string;
  handle: RefObject<LinesHandle | null>;
}

/** Behaviours as lines of text, each marked as the server reads it. */
export default function LinesEditor(props: LinesEditorProps) {
  const { value, onChange, reading, onLine, completions, handle } = props;
  const source = useLatest(completions);
  const moved = useLatest(onLine);
  const { host, view } = useCodeMirror({
    value,
    onChange,
    placeholder: props.placeholder,
    minHeight: props.minHeight,
    maxHeight: 520,
    labelledBy: props.labelledBy,
    describedBy: props.describedBy,
    extensions: () => [
      lineMarks,
      behaviourLanguage,
      bracketMatching(),
      highlightSpecialChars(),
      autocompletion({ override: [(context) => source.current(context)] }),
      Prec.high(keymap.of([...completionKeymap])),
      EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
        if (docChanged || selectionSet) moved.current(state.doc.lineAt(state.selection.main.head).number);
      }),
    ],
  });

  useEffect(() => {
    const editor = view.current;
    // A reading of another text has nothing to say of these lines; the next one comes.
    if (editor?.state.doc.toString() !== reading.of) return;
    showLines(editor, reading.asLines === null ? reading.lines : []);
  }, [reading.of, reading.lines, reading.asLines, view]);

  useImperativeHandle(handle, () => ({
    insert: (line) => view.current && insertLine(view.current, line),
    goTo: (line) => view.current && goToLine(view.current, line),
  }));

  return <div ref={host} className={`${editorClasses.editor} ${classes.editor}`} />;
}

function insertLine(view: EditorView, text: string): void {
  const { doc, selection } = view.state;
  let line = doc.lineAt(selection.main.head);
  while (line.number < doc.lines && isContinued(doc.line(line.number + 1).text))
    line = doc.line(line.number + 1);
  const isFree = line.text.trim() === "";
  const insert = isFree ? text : `\n${text}`;
  const from = isFree ? line.from : line.to;
  view.dispatch({
    changes: { from, to: line.to, insert },
    selection: { anchor: from + insert.length },
    scrollIntoView: true,
  });
  view.focus();
}

function goToLine(view: EditorView, number: number): void {
  const { doc } = view.state;
  const { to } = doc.line(Math.max(1, Math.min(number, doc.lines)));
  view.dispatch({ selection: { anchor: to }, scrollIntoView: true });
  view.focus();
}
