/** Tables as text: CSV of files, tab-separated cells of the clipboard. */

/** The cells of every line that is not blank. A quote that does not end its cell is taken as it stands. */
export function readTable(text: string, separator: "," | "\t"): string[][] {
  const lines: string[][] = [];
  let cells: string[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    const cell = text[at] === '"' ? readQuoted(text, at) : { text: "", end: at };
    const end = endOfCell(text, cell.end, separator);
    cells.push(cell.text + text.slice(cell.end, end));
    at = end;
    if (text[at] === separator) {
      at += 1;
      if (at === text.length) cells.push("");
      continue;
    }
    const blank = cells.length === 1 && end === start;
    if (!blank) lines.push(cells);
    cells = [];
    at += text.startsWith("\r\n", at) ? 2 : 1;
  }
  if (cells.length > 0) lines.push(cells);
  return lines;
}

function readQuoted(text: string, start: number): { text: string; end: number } {
  let at = start + 1;
  let found = "";
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    if (quote === -1) break;
    found += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { text: found, end: quote + 1 };
    found += '"';
    at = quote + 2;
  }
  return { text: "", end: start };
}

function endOfCell(text: string, from: number, separator: string): number {
  let at = from;
  while (at < text.length && text[at] !== separator && text[at] !== "\n" && text[at] !== "\r") at += 1;
  return at;
}

export function writeTable(lines: string[][]): string {
  return lines.map((cells) => `${cells.map(quoted).join(",")}\r\n`).join("");
}

/** A cell with nothing in it is quoted too: a line of one such cell would be a blank line. */
function quoted(cell: string): string {
  return cell === "" || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
