import { Group, Text, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconSelector } from "@tabler/icons-react";
import { type KeyboardEvent, type ReactNode, useMemo, useRef } from "react";
import classes from "~/components/data-table.module.css";

export interface Column<Row, Field extends string = string> {
  id: string;
  title: string;
  render: (row: Row) => ReactNode;
  /** Makes the column sortable where the table holds every row. */
  value?: (row: Row) => string | number | null;
  /** Makes the column sortable where rows come in pages: what the server calls it. */
  field?: Field;
  width?: number | string;
  align?: "left" | "right";
  /** Left out on narrow screens. */
  wide?: boolean;
}

export interface Sort {
  by: string;
  desc: boolean;
}

interface DataTableProps<Row> {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  rowKey: (row: Row) => string | number;
  /** By the id of a column, or by its field. */
  sort?: Sort | null;
  onSort?: (sort: Sort | null) => void;
  /** Enter, or a click beside a link, opens a row. */
  onOpen?: (row: Row) => void;
  isSelected?: (row: Row) => boolean;
}

/** A dense table: sorted by its headings, walked by the arrow keys, j and k, opened by Enter. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, rowKey, sort = null, onSort, onOpen, isSelected } = props;
  const body = useRef<HTMLTableSectionElement>(null);
  const sorted = useMemo(() => sortRows(rows, columns, sort), [rows, columns, sort]);

  function walk(event: KeyboardEvent, row: Row) {
    if (event.target !== event.currentTarget) return;
    const rowElement = event.currentTarget as HTMLElement;
    if (event.key === "Enter") onOpen?.(row);
    else if (event.key === "ArrowDown" || event.key === "j") focus(rowElement.nextElementSibling);
    else if (event.key === "ArrowUp" || event.key === "k") focus(rowElement.previousElementSibling);
    else if (event.key === "Home") focus(body.current?.firstElementChild);
    else if (event.key === "End") focus(body.current?.lastElementChild);
    else return;
    event.preventDefault();
  }

  return (
    <div className={classes.scroll}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {sorted.map((row, index) => (
            <tr
              key={rowKey(row)}
              tabIndex={onOpen ? (index === 0 ? 0 : -1) : undefined}
              className={onOpen ? classes.openable : undefined}
              data-selected={isSelected?.(row) || undefined}
              onKeyDown={onOpen && ((event) => walk(event, row))}
              onClick={onOpen && ((event) => !isControl(event.target) && onOpen(row))}
            >
              {columns.map((column) => (
                <td key={column.id} data-align={column.align} data-wide={column.wide || undefined}>
                  {column.render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface HeadingProps<Row> {
  column: Column<Row>;
  sort: Sort | null;
  onSort: ((sort: Sort | null) => void) | undefined;
}

function Heading<Row>({ column, sort, onSort }: HeadingProps<Row>) {
  const by = column.field ?? column.id;
  const active = sort?.by === by;
  const sortable = (column.value ?? column.field) !== undefined && onSort !== undefined;
  const Arrow = !active ? IconSelector : sort.desc ? IconArrowDown : IconArrowUp;
  const next = !active ? { by, desc: false } : sort.desc ? null : { by, desc: true };
  return (
    <th
      style={column.width === undefined ? {} : { width: column.width }}
      data-align={column.align}
      data-wide={column.wide || undefined}
      aria-sort={active ? (sort.desc ? "descending" : "ascending") : undefined}
    >
      {sortable ? (
        <UnstyledButton className={classes.heading} onClick={() => onSort(next)}>
          <Group gap={2} wrap="nowrap" justify={column.align === "right" ? "flex-end" : "flex-start"}>
            <Text span inherit>
              {column.title}
            </Text>
            <Arrow size={12} opacity={active ? 1 : 0.4} aria-hidden />
          </Group>
        </UnstyledButton>
      ) : (
        column.title
      )}
    </th>
  );
}

function sortRows<Row>(rows: Row[], columns: Column<Row>[], sort: Sort | null): Row[] {
  const value = columns.find((column) => column.id === sort?.by)?.value;
  if (!value || !sort) return rows;
  const direction = sort.desc ? -1 : 1;
  return rows.toSorted((a, b) => direction * compare(value(a), value(b)));
}

function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}

function focus(element: Element | null | undefined) {
  if (element instanceof HTMLElement) element.focus();
}

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, label") !== null;
}

/** A sort as one word of the address: `created`, or `-created` for descending. */
export function sortFromText(text: string | undefined): Sort | null {
  if (!text) return null;
  return text.startsWith("-") ? { by: text.slice(1), desc: true } : { by: text, desc: false };
}

/** The same, of a list that comes in pages: what no column can be sorted by is no order. */
export function sortByField<Row, Field extends string>(
  text: string | undefined,
  columns: Column<Row, Field>[],
): { sort: Sort | null; query: Field | `-${Field}` | undefined } {
  const sort = sortFromText(text);
  const field = columns.find((column) => column.field !== undefined && column.field === sort?.by)?.field;
  if (sort === null || field === undefined) return { sort: null, query: undefined };
  return { sort, query: sort.desc ? `-${field}` : field };
}

export function sortToText(sort: Sort | null): string | undefined {
  return sort === null ? undefined : (sort.desc ? "-" : "") + sort.by;
}
