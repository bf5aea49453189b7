import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonLanguage, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, linter, lintGutter, lintKeymap } from "@codemirror/lint";
import { Compartment, EditorState, Prec, StateEffect } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, placeholder as placeholderText } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import type { FieldError } from "~/api/problem";
import classes from "~/components/code-editor.module.css";
import { rangeOf } from "~/components/json-places";

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
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--json-key)" },
  { tag: tags.string, color: "var(--json-string)" },
  { tag: tags.number, color: "var(--json-number)" },
  { tag: [tags.bool, tags.null], color: "var(--json-word)" },
]);

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
const NO_FAULTS: FieldError[] = [];
const faultsChanged = StateEffect.define<null>();

export default function CodeEditor(props: CodeEditorProps) {
  const {
    value,
    onChange,
    faults = NO_FAULTS,
    completions,
    placeholder = "",
    minHeight = 96,
    maxHeight = 420,
  } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  const told = useRef<string[]>([]);
  const source = useRef(completions);
  source.current = completions;
  const found = useRef(faults);
  found.current = faults;
  const labels = useRef(new Compartment());
  const start = useRef({ value, placeholder, minHeight, maxHeight, labelledBy: props.labelledBy });

  useEffect(() => {
    if (host.current === null) return;
    const first = start.current;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first.value,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(),
          foldGutter(),
          history(),
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
          placeholderText(first.placeholder),
          EditorView.lineWrapping,
          labels.current.of(
            EditorView.contentAttributes.of({ "aria-labelledby": first.labelledBy, tabindex: "0" }),
          ),
          // Tab leaves the editor, as it leaves every other field.
          Prec.high(keymap.of([...completionKeymap])),
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const text = update.state.doc.toString();
            told.current.push(text);
            changed.current?.(text);
          }),
          EditorView.theme({
            ".cm-scroller": {
              minHeight: `${first.minHeight}px`,
              maxHeight: `${first.maxHeight}px`,
              overflow: "auto",
            },
          }),
        ],
      }),
    });
    view.current = editor;
    // Line heights measured before the font has come would leave the numbers beside the wrong lines.
    void document.fonts.ready.then(() => editor.requestMeasure());
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current;
    const echo = told.current.indexOf(value);
    told.current.splice(0, echo + 1);
    // A value that was typed here comes back when it is drawn; by then more may have been typed.
    if (editor === null || echo >= 0 || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
    told.current = [];
  }, [value]);

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
