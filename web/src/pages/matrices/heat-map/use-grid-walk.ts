import { type KeyboardEvent, type RefObject, useState } from "react";

export interface Place {
  row: number;
  column: number;
}

const PAGE = 5;

/** Arrow keys, Home and End walk the cells of a grid, of which one can be reached by Tab. */
export function useGridWalk(grid: RefObject<HTMLElement | null>, rows: number, columns: number) {
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const current = { row: within(at.row, rows), column: within(at.column, columns) };

  function go(to: Place) {
    const place = { row: within(to.row, rows), column: within(to.column, columns) };
    setAt(place);
    const cell = grid.current?.querySelector<HTMLElement>(`[data-place="${place.row} ${place.column}"]`);
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function listen(event: KeyboardEvent, { row, column }: Place) {
    const control = event.ctrlKey || event.metaKey;
    const moves: Record<string, Place> = {
      ArrowUp: { row: control ? 0 : row - 1, column },
      ArrowDown: { row: control ? rows : row + 1, column },
      ArrowLeft: { row, column: control ? 0 : column - 1 },
      ArrowRight: { row, column: control ? columns : column + 1 },
      Home: { row: control ? 0 : row, column: 0 },
      End: { row: control ? rows : row, column: columns },
      PageUp: { row: row - PAGE, column },
      PageDown: { row: row + PAGE, column },
    };
    const to = moves[event.key];
    if (to === undefined || event.altKey || event.shiftKey) return;
    event.preventDefault();
    go(to);
  }

  return { at: current, setAt, listen };
}

function within(index: number, count: number): number {
  return Math.min(Math.max(index, 0), Math.max(count - 1, 0));
}
