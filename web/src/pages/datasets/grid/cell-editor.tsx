import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { columnOf } from "~/pages/datasets/columns";
import classes from "~/pages/datasets/grid/grid.module.css";

export const WORLD_NAMES = "dataset-world-names";
const OUTCOMES = ["", "completion", "refusal"];

interface CellEditorProps {
  name: string;
  start: string;
  label: string;
  onCommit: (text: string, move: "down" | "right" | null) => void;
  onCancel: () => void;
}

/** One cell being written, in its place. */
export function CellEditor({ name, start, label, onCommit, onCancel }: CellEditorProps) {
  const [text, setText] = useState(start);
  const field = useRef<HTMLTextAreaElement & HTMLInputElement & HTMLSelectElement>(null);
  const ended = useRef(false);
  const kind = columnOf(name)?.kind ?? "text";

  useEffect(() => {
    field.current?.focus();
    if (kind !== "outcome") field.current?.setSelectionRange(start.length, start.length);
  }, [kind, start]);

  function end(act: () => void) {
    if (ended.current) return;
    ended.current = true;
    act();
  }

  function listen(event: KeyboardEvent) {
    event.stopPropagation();
    const moves = { Enter: "down", Tab: "right" } as const;
    if (event.key === "Escape") end(onCancel);
    else if (event.key === "Enter" && (event.shiftKey || event.altKey || event.nativeEvent.isComposing))
      return;
    else if (event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) {
      const move = moves[event.key];
      end(() => onCommit(text, move));
    } else return;
    event.preventDefault();
  }

  const common = {
    ref: field,
    className: classes.editor,
    "aria-label": label,
    value: text,
    onKeyDown: listen,
    onPaste: (event: React.ClipboardEvent) => event.stopPropagation(),
    onBlur: () => end(() => onCommit(text, null)),
    spellCheck: kind === "text",
  };
  if (kind === "outcome") {
    const choices = OUTCOMES.includes(start) ? OUTCOMES : [...OUTCOMES, start];
    return (
      <select {...common} onChange={(event) => setText(event.currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice === "" ? "(completion)" : choice}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "text") {
    return <textarea {...common} rows={1} onChange={(event) => setText(event.currentTarget.value)} />;
  }
  return (
    <input
      {...common}
      {...(kind === "world" && { list: WORLD_NAMES })}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
