import { expect, test } from "vitest";
import { readTable, writeTable } from "~/pages/datasets/grid/table";

test.each([
  [
    "a,b\r\nc,d\r\n",
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
  ['"a ""quoted"" cell","two\nlines"', [['a "quoted" cell', "two\nlines"]]],
  [
    "a,\n\n,b",
    [
      ["a", ""],
      ["", "b"],
    ],
  ],
  ['"never ends,b', [['"never ends', "b"]]],
  ['""\n', [[""]]],
  ["", []],
])("%j is read cell by cell", (text, cells) => {
  expect(readTable(text, ",")).toEqual(cells);
});

test("cells of the clipboard are apart by tabs", () => {
  expect(readTable("a,b\tc", "\t")).toEqual([["a,b", "c"]]);
});

test.each([
  [
    [
      ["a", "b"],
      ["", "c"],
    ],
  ],
  [
    [
      ["=HYPERLINK('//x')", 'say "so"'],
      ["two\r\nlines", "a,b"],
    ],
  ],
  [[[""]]],
])("%j is read as it was written", (cells) => {
  expect(readTable(writeTable(cells), ",")).toEqual(cells);
});
