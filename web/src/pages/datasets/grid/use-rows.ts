import { useCallback, useMemo, useState } from "react";
import { columnsShown } from "~/pages/datasets/columns";
import { type Block, type Cell, type Found, newRow, pasted, type Row } from "~/pages/datasets/grid/rows";

const MOST_STEPS = 200;

interface History {
  /** What the rows are compared with: those that are saved. */
  saved: Row[];
  past: Row[][];
  now: Row[];
  future: Row[][];
}

export interface Rows {
  list: Row[];
  /** The columns that are shown, in their order. */
  columns: string[];
  unsaved: boolean;
  canUndo: boolean;
  canRedo: boolean;
  write: (cell: Cell, text: string) => void;
  paste: (block: Block, at: Cell) => void;
  insert: (at: number, row?: Row) => void;
  remove: (at: number) => void;
  /** Other rows altogether, to be saved. */
  replace: (found: Found) => void;
  /** These are what the server has now; they stand here already. */
  settle: (rows: Row[]) => void;
  /** What the server has, to begin with. */
  load: (found: Found) => void;
  undo: () => void;
  redo: () => void;
  discard: () => void;
  show: (columns: string[]) => void;
}

/** Rows that are edited, with a way back from every edit. */
export function useRows(start: () => Row[]): Rows {
  const [{ saved, past, now, future }, set] = useState<History>(() => {
    const rows = start();
    return { saved: rows, past: [], now: rows, future: [] };
  });
  const [columns, setColumns] = useState(() => columnsShown([]));

  const change = useCallback((next: (rows: Row[]) => Row[]) => {
    set((before) => {
      const rows = next(before.now);
      if (rows === before.now) return before;
      return { ...before, past: [...before.past, before.now].slice(-MOST_STEPS), now: rows, future: [] };
    });
  }, []);
  const show = useCallback((wanted: string[]) => setColumns(columnsShown(wanted)), []);

  const write = useCallback(
    ({ row, column }: Cell, text: string) =>
      change((rows) =>
        (rows[row]?.cells[column] ?? "") === text
          ? rows
          : rows.map((each, at) =>
              at === row ? { ...each, cells: { ...each.cells, [column]: text } } : each,
            ),
      ),
    [change],
  );
  const paste = useCallback(
    (block: Block, at: Cell) => {
      if (block.columns !== null) show([...columns, ...block.columns]);
      change((rows) => pasted(rows, block, at, columns));
    },
    [change, columns, show],
  );
  const insert = useCallback(
    (at: number, row = newRow()) => change((rows) => rows.toSpliced(at, 0, row)),
    [change],
  );
  const remove = useCallback((at: number) => change((rows) => rows.toSpliced(at, 1)), [change]);
  const replace = useCallback(
    (found: Found) => {
      show(found.columns);
      change(() => found.rows);
    },
    [change, show],
  );
  const settle = useCallback((rows: Row[]) => set((before) => ({ ...before, saved: rows })), []);
  const load = useCallback(({ rows, columns: filled }: Found) => {
    set({ saved: rows, past: [], now: rows, future: [] });
    setColumns(columnsShown(filled));
  }, []);
  const undo = useCallback(() => {
    set((before) => {
      const last = before.past.at(-1);
      if (last === undefined) return before;
      return { ...before, past: before.past.slice(0, -1), now: last, future: [before.now, ...before.future] };
    });
  }, []);
  const redo = useCallback(() => {
    set((before) => {
      const [next, ...rest] = before.future;
      if (next === undefined) return before;
      return { ...before, past: [...before.past, before.now], now: next, future: rest };
    });
  }, []);
  const discard = useCallback(() => change(() => saved), [change, saved]);

  return useMemo(
    () => ({
      list: now,
      columns,
      unsaved: now !== saved,
      canUndo: past.length > 0,
      canRedo: future.length > 0,
      write,
      paste,
      insert,
      remove,
      replace,
      settle,
      load,
      undo,
      redo,
      discard,
      show,
    }),
    [
      now,
      columns,
      saved,
      past,
      future,
      write,
      paste,
      insert,
      remove,
      replace,
      settle,
      load,
      undo,
      redo,
      discard,
      show,
    ],
  );
}
