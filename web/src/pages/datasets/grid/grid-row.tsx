import { VisuallyHidden } from "@mantine/core";
import { memo } from "react";
import { columnOf } from "~/pages/datasets/columns";
import { CellEditor } from "~/pages/datasets/grid/cell-editor";
import classes from "~/pages/datasets/grid/grid.module.css";
import { type CellNote, notesAt } from "~/pages/datasets/grid/notes";
import type { Row } from "~/pages/datasets/grid/rows";

const LONGEST_SHOWN = 400;

export interface Editing {
  column: string;
  text: string;
}

interface GridRowProps {
  row: Row;
  index: number;
  /** What it is called: on later pages not its place. */
  number: number;
  columns: string[];
  notes: CellNote[] | undefined;
  /** The column of the active cell, if that is in this row. */
  active: string | null;
  editing: Editing | null;
  onCommit: (text: string, move: "down" | "right" | null) => void;
  onCancel: () => void;
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, index, number, columns, notes, active, editing, onCommit, onCancel } = props;
  return (
    <tr aria-rowindex={index + 2}>
      <th scope="row" className={classes.number} data-fault={hasError(notes) || undefined}>
        {number}
        {hasError(notes) && <VisuallyHidden> has faults</VisuallyHidden>}
      </th>
      {columns.map((name, at) => {
        const here = notesAt(notes, name);
        const [first] = here;
        const edited = editing?.column === name ? editing : null;
        return (
          <td
            key={name}
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid takes keys
            role="gridcell"
            className={classes.cell}
            tabIndex={active === name || (active === null && index === 0 && at === 0) ? 0 : -1}
            data-row={index}
            data-column={name}
            data-active={active === name || undefined}
            data-note={first?.kind}
            aria-invalid={first?.kind === "error" || undefined}
          >
            {edited ? (
              <CellEditor
                name={name}
                start={edited.text}
                label={`${name} of row ${number}`}
                onCommit={onCommit}
                onCancel={onCancel}
              />
            ) : (
              <CellText text={row.cells[name] ?? ""} json={columnOf(name)?.kind === "json"} />
            )}
            {first && (
              <span className={classes.message} data-note={first.kind} title={first.msg}>
                {first.path.length > 0 && `${first.path.join(".")}: `}
                {first.msg}
                {here.length > 1 && ` (and ${here.length - 1} more)`}
              </span>
            )}
          </td>
        );
      })}
    </tr>
  );
});

function CellText({ text, json }: { text: string; json: boolean }) {
  if (text === "") return null;
  const shown = json ? text.slice(0, LONGEST_SHOWN * 2).replace(/\s+/g, " ") : text;
  return (
    <span className={classes.text} data-json={json || undefined}>
      {shown.length > LONGEST_SHOWN ? `${shown.slice(0, LONGEST_SHOWN)}…` : shown}
    </span>
  );
}

function hasError(notes: CellNote[] | undefined): boolean {
  return notes?.some(({ kind }) => kind === "error") ?? false;
}
