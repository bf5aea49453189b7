import type { Lint, Note } from "~/api/datasets";
import type { Row } from "~/pages/datasets/grid/rows";
import { withoutLine } from "~/pages/datasets/use-lint";

export interface CellNote {
  kind: "error" | "warning";
  column: string | null;
  /** Below the column, for what stands in a JSON document. */
  path: (string | number)[];
  msg: string;
}

/** What is wrong with rows, by their keys: it stays with a row that moves. */
export type Notes = ReadonlyMap<number, CellNote[]>;

export const NO_NOTES: Notes = new Map();

export function notesOf(rows: Row[], lint: Lint): Notes {
  const notes = new Map<number, CellNote[]>();
  const kinds: [CellNote["kind"], Note[]][] = [
    ["error", lint.errors],
    ["warning", lint.warnings],
  ];
  for (const [kind, found] of kinds) {
    for (const { row, column, loc, msg } of found) {
      const key = row === null ? undefined : rows[row]?.key;
      if (key === undefined) continue;
      const note = {
        kind,
        column: column === null ? null : String(column),
        path: loc.slice(3),
        msg: withoutLine(msg),
      };
      notes.set(key, [...(notes.get(key) ?? []), note]);
    }
  }
  return notes;
}

/** Errors before warnings; what belongs to no column of a row stands at its first. */
export function notesAt(notes: CellNote[] | undefined, column: string): CellNote[] {
  return (notes ?? []).filter((note) => (note.column ?? "user") === column);
}
