import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { lintKeymap } from "@codemirror/lint";
import { Annotation, EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers, placeholder as placeholderText } from "@codemirror/view";
import { type RefObject, useEffect, useEffectEvent, useRef } from "react";
import { flushSync } from "react-dom";
import { withNewlines } from "~/components/newlines";

export interface CodeMirrorOptions {
  value: string;
  onChange?: ((text: string) => void) | undefined;
  placeholder: string;
  minHeight: number;
  maxHeight: number;
  /** The ids of what names and describes it. */
  labelledBy: string;
  describedBy?: string;
  /** What this editor has beside what all have; asked for once. */
  extensions: () => Extension[];
}

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";

/** On a change that came from outside, which need not be told there. */
const given = Annotation.define<boolean>();

/** An editor of text in `host`, which lives as long as its component and follows `value`. */
export function useCodeMirror(options: CodeMirrorOptions): {
  host: RefObject<HTMLDivElement | null>;
  view: RefObject<EditorView | null>;
} {
  const { value, onChange } = options;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const changed = useEffectEvent((text: string) => onChange?.(text));
  const told = useRef<string[]>([]);
  const start = useRef(options);

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
          history(),
          first.extensions(),
          placeholderText(first.placeholder),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            "aria-labelledby": first.labelledBy,
            ...(first.describedBy !== undefined && { "aria-describedby": first.describedBy }),
            tabindex: "0",
          }),
          // Tab leaves the editor, as it leaves every other field.
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((one) => one.annotation(given))) return;
            const text = update.state.doc.toString();
            told.current.push(text);
            // At once: the key pressed next, such as Control Enter or that of a reload, must find what was typed.
            flushSync(() => changed(text));
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
    if (editor === null || echo >= 0 || editor.state.doc.toString() === withNewlines(value)) return;
    const end = editor.state.doc.length;
    const insert = editor.state.toText(value);
    // Who writes at the end goes on there: what was typed while the editor was being fetched may come in just now.
    const selection = editor.state.selection.main.head === end ? { anchor: insert.length } : undefined;
    editor.dispatch({
      changes: { from: 0, to: end, insert },
      ...(selection && { selection }),
      annotations: given.of(true),
    });
    told.current = [];
  }, [value]);

  return { host, view };
}
