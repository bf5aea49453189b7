/** Rows as they are written in the grid: cells of text by column, whatever they mean. */
import type { Content } from "~/api/datasets";
import { readJson, writeJson } from "~/api/json";
import { isObject } from "~/components/rules/json-text";
import { columnMeant, columnOf } from "~/pages/datasets/columns";
import { readTable, writeTable } from "~/pages/datasets/grid/table";

export type Cells = Record<string, string>;

export interface Row {
  /** Stays with the row wherever it moves. */
  key: number;
  cells: Cells;
}

export interface Cell {
  row: number;
  column: string;
}

let made = 0;

export function newRow(cells: Cells = {}): Row {
  made += 1;
  return { key: made, cells };
}

export interface Found {
  rows: Row[];
  columns: string[];
}

/** What a file holds, as far as the grid can show it; null if it cannot be read at all. */
export function rowsIn(content: Content): Found | null {
  return content.format === "csv" ? rowsOfCsv(content.text) : rowsOfJson(content.text);
}

function rowsOfCsv(text: string): Found | null {
  const [header, ...lines] = readTable(text.replace(/^\uFEFF/, ""), ",");
  if (header === undefined) return null;
  const names = header.map((name) => columnMeant(name.trim())?.name);
  const rows = lines.map((line) =>
    newRow(
      Object.fromEntries(
        names.flatMap((name, at) => (name === undefined || !line[at] ? [] : [[name, line[at]]])),
      ),
    ),
  );
  return { rows, columns: names.filter((name) => name !== undefined) };
}

function rowsOfJson(text: string): Found | null {
  let list: unknown;
  try {
    list = readJson(text);
  } catch {
    return null;
  }
  if (!Array.isArray(list)) return null;
  const columns = new Set<string>();
  const rows = list.map((item) => {
    const cells: Cells = {};
    for (const [member, value] of isObject(item) ? Object.entries(item) : []) {
      const column = columnMeant(member);
      if (column === undefined || value === null) continue;
      columns.add(column.name);
      cells[column.name] = cellText(value);
    }
    return newRow(cells);
  });
  return { rows, columns: [...columns] };
}

export function cellText(value: unknown): string {
  return typeof value === "string" ? value : writeJson(value, 0);
}

/** All rows as CSV: a grid of texts is a table, and the server reads its cells. */
export function contentOf(rows: Row[]): Content {
  const columns = usedColumns(rows);
  return {
    format: "csv",
    text: writeTable([columns, ...rows.map(({ cells }) => columns.map((name) => cells[name] ?? ""))]),
  };
}

function usedColumns(rows: Row[]): string[] {
  const used = new Set(["user"]);
  for (const { cells } of rows)
    for (const [name, text] of Object.entries(cells)) if (text !== "") used.add(name);
  return [...used].filter((name) => columnOf(name) !== undefined);
}

export interface Block {
  lines: string[][];
  /** Of each place in a line; null if the block begins at whatever cell it is pasted into. */
  columns: string[] | null;
}

/** Cells as the clipboard gives them. A whole JSON document is one cell; a first line of column names says where. */
export function blockIn(text: string): Block {
  const trimmed = text.trim();
  if (/^[[{]/.test(trimmed) && isJson(trimmed)) return { lines: [[trimmed]], columns: null };
  const lines = readTable(text.replace(/\r?\n$/, ""), "\t");
  const [first = [], ...rest] = lines;
  const named = first.length > 1 && first.every((name) => columnOf(name.trim()) !== undefined);
  return named
    ? { lines: rest, columns: first.map((name) => name.trim()) }
    : { lines: lines.length === 0 ? [[""]] : lines, columns: null };
}

function isJson(text: string): boolean {
  try {
    readJson(text);
    return true;
  } catch {
    return false;
  }
}

/** The rows with a block in them, from a cell on; rows that are missing are added. */
export function pasted(rows: Row[], block: Block, at: Cell, shown: string[]): Row[] {
  const columns = block.columns ?? shown.slice(shown.indexOf(at.column));
  const next = rows.slice();
  block.lines.forEach((line, below) => {
    const cells = Object.fromEntries(
      line.flatMap((text, right) => (columns[right] === undefined ? [] : [[columns[right], text]])),
    );
    const before = next[at.row + below];
    next[at.row + below] = before ? { ...before, cells: { ...before.cells, ...cells } } : newRow(cells);
  });
  return next;
}
