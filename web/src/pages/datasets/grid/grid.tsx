import { useElementSize } from "@mantine/hooks";
import {
  type ClipboardEvent,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useRef,
  useState,
} from "react";
import { useLatest } from "~/components/use-latest";
import { columnOf } from "~/pages/datasets/columns";
import classes from "~/pages/datasets/grid/grid.module.css";
import { type Editing, GridRow } from "~/pages/datasets/grid/grid-row";
import type { Notes } from "~/pages/datasets/grid/notes";
import { type Block, blockIn, type Cell, type Row } from "~/pages/datasets/grid/rows";

const PAGE = 10;
const WIDTHS = { text: 240, json: 200, outcome: 130, world: 150, number: 120 };
const NUMBERS = 44;

export interface GridEdits {
  write: (cell: Cell, text: string) => void;
  paste: (block: Block, at: Cell) => void;
  undo: () => void;
  redo: () => void;
}

interface GridProps {
  label: string;
  columns: string[];
  rows: Row[];
  /** The number of the first row. */
  first?: number;
  notes: Notes;
  active: Cell | null;
  onActive: (cell: Cell) => void;
  /** A cell to be seen, or written, in a room of its own. */
  onOpen: (cell: Cell) => void;
  /** Null where it is only read. */
  edits: GridEdits | null;
}

/** A table of cells: walked by the arrow keys, written in place, pasted into from a spreadsheet. */
export function Grid({ label, columns, rows, first = 0, notes, active, onActive, onOpen, edits }: GridProps) {
  const table = useRef<HTMLTableElement>(null);
  const [editing, setEditing] = useState<(Editing & { row: number }) | null>(null);
  const { ref: frame, width } = useElementSize();
  const fit = widthsOf(columns, width);

  useEffect(() => {
    const cell = active && cellAt(table.current, active);
    if (cell && !cell.contains(document.activeElement)) show(cell);
  }, [active]);

  const written = editing === null;
  useEffect(() => {
    // What was written in is gone, and the focus with it, unless something else has been clicked.
    const cell = active && cellAt(table.current, active);
    if (written && cell && document.activeElement === document.body) show(cell);
  }, [written, active]);

  const place = (event: { target: EventTarget }): Cell | null => {
    const cell = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-column]") : null;
    return cell === null ? null : { row: Number(cell.dataset.row), column: cell.dataset.column ?? "" };
  };

  function moveTo(row: number, column: number) {
    const name = columns[Math.min(Math.max(column, 0), columns.length - 1)];
    if (name === undefined || rows.length === 0) return;
    onActive({ row: Math.min(Math.max(row, 0), rows.length - 1), column: name });
  }

  function open(cell: Cell, typed?: string) {
    const inDialog = edits === null || columnOf(cell.column)?.kind === "json";
    if (inDialog) onOpen(cell);
    else setEditing({ ...cell, text: typed ?? rows[cell.row]?.cells[cell.column] ?? "" });
  }

  function listen(event: KeyboardEvent) {
    const cell = place(event);
    if (cell === null || editing !== null) return;
    const column = columns.indexOf(cell.column);
    const control = event.ctrlKey || event.metaKey;
    const last = rows.length - 1;
    const moves: Record<string, () => void> = {
      ArrowUp: () => moveTo(control ? 0 : cell.row - 1, column),
      ArrowDown: () => moveTo(control ? last : cell.row + 1, column),
      ArrowLeft: () => moveTo(cell.row, control ? 0 : column - 1),
      ArrowRight: () => moveTo(cell.row, control ? columns.length : column + 1),
      Home: () => moveTo(control ? 0 : cell.row, 0),
      End: () => moveTo(control ? last : cell.row, columns.length),
      PageUp: () => moveTo(cell.row - PAGE, column),
      PageDown: () => moveTo(cell.row + PAGE, column),
      Enter: () => open(cell),
      F2: () => open(cell),
    };
    const act = moves[event.key] ?? (edits && writing(event, cell, edits));
    if (!act) return;
    event.preventDefault();
    // Letters are written here; elsewhere on the page they are shortcuts.
    event.stopPropagation();
    act();
  }

  function writing(event: KeyboardEvent, cell: Cell, { write, undo, redo }: GridEdits): (() => void) | null {
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.toLowerCase();
    if (control && key === "z") return event.shiftKey ? redo : undo;
    if (control && key === "y") return redo;
    if (control || event.altKey) return null;
    if (event.key === "Delete" || event.key === "Backspace") return () => write(cell, "");
    return event.key.length === 1 ? () => open(cell, event.key === " " ? undefined : event.key) : null;
  }

  function commit(text: string, move: "down" | "right" | null) {
    if (editing === null) return;
    edits?.write(editing, text);
    setEditing(null);
    const column = columns.indexOf(editing.column);
    if (move === "down") moveTo(editing.row + 1, column);
    else if (move === "right") moveTo(editing.row, column + 1);
  }
  const latestCommit = useLatest(commit);
  const [stable] = useState(() => ({
    commit: (text: string, move: "down" | "right" | null) => latestCommit.current(text, move),
    cancel: () => setEditing(null),
  }));

  function copy(event: ClipboardEvent) {
    const cell = place(event);
    if (cell === null || editing !== null || !document.getSelection()?.isCollapsed) return;
    event.clipboardData.setData("text/plain", rows[cell.row]?.cells[cell.column] ?? "");
    event.preventDefault();
  }

  function paste(event: ClipboardEvent) {
    const cell = place(event);
    if (cell === null || editing !== null || edits === null) return;
    event.preventDefault();
    edits.paste(blockIn(event.clipboardData.getData("text/plain")), cell);
  }

  return (
    <div className={classes.scroll} ref={frame}>
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells take keys is a grid
        role="grid"
        className={classes.grid}
        style={{ width: fit.reduce((sum, each) => sum + each, NUMBERS) }}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-readonly={edits === null || undefined}
        onKeyDown={listen}
        onFocus={(event: FocusEvent) => {
          const cell = place(event);
          if (cell && (cell.row !== active?.row || cell.column !== active.column)) onActive(cell);
        }}
        onDoubleClick={(event: MouseEvent) => {
          const cell = place(event);
          if (cell && editing === null) open(cell);
        }}
        onCopy={copy}
        onPaste={paste}
      >
        <colgroup>
          <col style={{ width: NUMBERS }} />
          {columns.map((name, at) => (
            <col key={name} style={{ width: fit[at] }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" className={`${classes.head} ${classes.number}`}>
              row
            </th>
            {columns.map((name) => (
              <th key={name} scope="col" className={classes.head} title={columnOf(name)?.about}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <GridRow
              key={row.key}
              row={row}
              index={index}
              number={first + index}
              columns={columns}
              notes={notes.get(row.key)}
              active={active?.row === index ? active.column : null}
              editing={editing?.row === index ? editing : null}
              onCommit={stable.commit}
              onCancel={stable.cancel}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The columns share the room; none is narrower than what it holds needs. */
function widthsOf(columns: string[], room: number): number[] {
  const least = columns.map((name) => WIDTHS[columnOf(name)?.kind ?? "text"]);
  const sum = least.reduce((total, width) => total + width, 0);
  const grows = columns.map((name) => ["text", "json"].includes(columnOf(name)?.kind ?? "text"));
  const spare = Math.max(room - NUMBERS - 2 - sum, 0) / Math.max(grows.filter(Boolean).length, 1);
  return least.map((width, at) => Math.floor(width + (grows[at] ? spare : 0)));
}

function show(cell: HTMLElement) {
  cell.focus({ preventScroll: true });
  cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function cellAt(table: HTMLTableElement | null, { row, column }: Cell): HTMLElement | null {
  return (
    table?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${CSS.escape(column)}"]`) ?? null
  );
}
