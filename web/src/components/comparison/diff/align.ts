/** Laying two sequences side by side without changing their order, so that as much as possible agrees. */

export type Pair = [left: number, right: number];

/** A place in the one, in the other, or in both. */
export type Row = [left: number | null, right: number | null];

/** `alike[i][j]`: how alike item i of the left and item j of the right are, 0 and above. */
export function bestPairs(alike: number[][], width: number): Pair[] {
  const table = totals(alike, width);
  const at = (row: number, column: number) => table[row]?.[column] ?? 0;
  const pairs: Pair[] = [];
  let left = alike.length;
  let right = width;
  while (left > 0 && right > 0) {
    if (at(left, right) === at(left - 1, right)) left -= 1;
    else if (at(left, right) === at(left, right - 1)) right -= 1;
    else {
      left -= 1;
      right -= 1;
      pairs.push([left, right]);
    }
  }
  return pairs.reverse();
}

export function bestTotal(alike: number[][], width: number): number {
  return totals(alike, width).at(-1)?.[width] ?? 0;
}

function totals(alike: number[][], width: number): number[][] {
  const table = [new Array<number>(width + 1).fill(0)];
  for (const row of alike) {
    const above = table.at(-1) ?? [];
    const current = [0];
    row.forEach((value, column) => {
      current.push(Math.max(above[column + 1] ?? 0, current[column] ?? 0, (above[column] ?? 0) + value));
    });
    table.push(current);
  }
  return table;
}

/** Every item of both in its row; what has no pair stands beside what has none in the other, if there is such. */
export function rowsOf(pairs: Pair[], left: number, right: number): Row[] {
  const rows: Row[] = [];
  let [ours, theirs] = [0, 0];
  for (const [toLeft, toRight] of [...pairs, [left, right] satisfies Pair]) {
    while (ours < toLeft || theirs < toRight) {
      rows.push([ours < toLeft ? ours++ : null, theirs < toRight ? theirs++ : null]);
    }
    if (ours < left && theirs < right) rows.push([ours++, theirs++]);
  }
  return rows;
}

/** How many items both begin with, and then end with. */
export function alikeAtEnds(
  left: readonly string[],
  right: readonly string[],
): { start: number; end: number } {
  const most = Math.min(left.length, right.length);
  let start = 0;
  while (start < most && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < most - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end += 1;
  return { start, end };
}

/** The longest sequence that both have, as pairs; null where finding it would take too long. */
export function commonPairs(left: readonly string[], right: readonly string[], most: number): Pair[] | null {
  const { start, end } = alikeAtEnds(left, right);
  const rows = left.length - start - end;
  const columns = right.length - start - end;
  if (rows * columns > most) return null;
  const width = columns + 1;
  const table = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const same = left[start + row] === right[start + column];
      const below = table[(row + 1) * width + column] ?? 0;
      const beside = table[row * width + column + 1] ?? 0;
      table[row * width + column] = same
        ? (table[(row + 1) * width + column + 1] ?? 0) + 1
        : Math.max(below, beside);
    }
  }
  const pairs: Pair[] = Array.from({ length: start }, (_, at): Pair => [at, at]);
  let [row, column] = [0, 0];
  while (row < rows && column < columns) {
    if (left[start + row] === right[start + column]) pairs.push([start + row++, start + column++]);
    else if ((table[(row + 1) * width + column] ?? 0) >= (table[row * width + column + 1] ?? 0)) row += 1;
    else column += 1;
  }
  for (let back = end; back > 0; back -= 1) pairs.push([left.length - back, right.length - back]);
  return pairs;
}
