import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  completionKeymap,
} from "@codemirror/autocomplete";
import { json, jsonLanguage, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, linter, lintGutter } from "@codemirror/lint";
import { Prec, StateEffect } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useContext, useEffect } from "react";
import type { FieldError } from "~/api/problem";
import classes from "~/components/code-editor.module.css";
import { useCodeMirror } from "~/components/code-mirror";
import { CurrentFaults } from "~/components/current-faults";
import { rangeOf } from "~/components/json-places";
import { useLatest } from "~/components/use-latest";

export interface CodeEditorProps {
  value: string;
  onChange?: (text: string) => void;
  /** Faults the server found, by path inside this document. */
  faults?: FieldError[];
  completions?: CompletionSource;
  placeholder?: string;
  minHeight?: number;
  maxHeight?: number;
  labelledBy: string;
  /** Takes the keyboard once it is there, with the cursor after the last character. */
  autoFocus?: boolean;
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--json-key)" },
  { tag: tags.string, color: "var(--json-string)" },
  { tag: tags.number, color: "var(--json-number)" },
  { tag: [tags.bool, tags.null], color: "var(--json-word)" },
]);

const NO_FAULTS: FieldError[] = [];
const faultsChanged = StateEffect.define<null>();

export default function CodeEditor(props: CodeEditorProps) {
  const {
    value,
    onChange,
    faults: given = NO_FAULTS,
    completions,
    placeholder = "",
    minHeight = 96,
    maxHeight = 420,
    labelledBy,
    autoFocus = false,
  } = props;
  const source = useLatest(completions);
  const faults = useContext(CurrentFaults) ? given : NO_FAULTS;
  const found = useLatest(faults);
  const { host, view } = useCodeMirror({
    value,
    onChange,
    placeholder,
    minHeight,
    maxHeight,
    labelledBy,
    extensions: () => [
      autoFocus ? EditorView.contentAttributes.of({ "data-autofocus": "true" }) : [], // for the trap of a dialog
      foldGutter(),
      bracketMatching(),
      closeBrackets(),
      json(),
      jsonLanguage.data.of({ autocomplete: (context: never) => source.current?.(context) ?? null }),
      autocompletion(),
      syntaxHighlighting(colours),
      linter((current) => diagnose(current, found.current), {
        delay: 200,
        needsRefresh: (update) =>
          update.transactions.some((one) => one.effects.some((effect) => effect.is(faultsChanged))),
      }),
      lintGutter(),
      Prec.high(keymap.of([...completionKeymap])),
    ],
  });

  useEffect(() => {
    const editor = view.current;
    if (!autoFocus || editor === null) return;
    editor.dispatch({ selection: { anchor: editor.state.doc.length } });
    editor.focus();
  }, [autoFocus, view]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: new faults are drawn by the linter, which reads the ref
  useEffect(() => view.current?.dispatch({ effects: faultsChanged.of(null) }), [faults]);

  return <div ref={host} className={classes.editor} />;
}

/** Broken JSON first: places inside it mean nothing until it can be read. */
function diagnose(editor: EditorView, faults: FieldError[]): Diagnostic[] {
  if (editor.state.doc.length === 0) return [];
  const broken = jsonParseLinter()(editor);
  if (broken.length > 0) return broken;
  return faults.map((fault) => ({
    ...rangeOf(editor.state, fault.loc),
    severity: "error",
    message: fault.msg,
  }));
}
