import { json } from "@codemirror/lang-json";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { rangeOf } from "~/components/json-places";

const DOCUMENT = '{"rules": [{"tool": "a"}, {"when": "args.x > 1"}], "we\\"ird": 7}';
const state = EditorState.create({ doc: DOCUMENT, extensions: [json()] });

test.each<[path: (string | number)[], marked: string]>([
  [["rules", 1, "when"], '"args.x > 1"'],
  [["rules", 0, "tool"], '"a"'],
  [["rules", 1], "{"],
  [["rules"], "["],
  [['we"ird'], "7"],
  [["rules", 0, "missing"], "{"],
  [["rules", 9], "["],
  [["nowhere", 3], "{"],
  [[], "{"],
])("the fault at %j is marked where it stands, or at its nearest parent", (path, marked) => {
  const { from, to } = rangeOf(state, path);
  expect(DOCUMENT.slice(from, to)).toBe(marked);
});

test("a fault of an empty document is marked somewhere", () => {
  expect(rangeOf(EditorState.create({ doc: "", extensions: [json()] }), ["a"])).toEqual({ from: 0, to: 0 });
});
