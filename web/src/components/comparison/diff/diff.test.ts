import { describe, expect, test } from "vitest";
import type { Behaviour } from "~/api/evals";
import { bestPairs, commonPairs, rowsOf } from "~/components/comparison/diff/align";
import { compareBehaviours } from "~/components/comparison/diff/behaviours";
import { compareCalls } from "~/components/comparison/diff/calls";
import { canonical, overlap } from "~/components/comparison/diff/json";
import { jsonLines } from "~/components/comparison/diff/json-lines";
import { ledgerTree } from "~/components/comparison/diff/ledger-tree";
import { compareTexts, countWords, type Piece } from "~/components/comparison/diff/words";

const NOTHING: Behaviour = {
  structured: null,
  calls: [],
  ledger: null,
  text: "",
  failure: null,
  effects: [],
  undone: [],
  named: [],
  claimed: [],
};

describe("two sequences", () => {
  test.each([
    ["abc", "abc", ["aa", "bb", "cc"]],
    ["abc", "axc", ["aa", "bx", "cc"]],
    ["abc", "bc", ["a-", "bb", "cc"]],
    ["ac", "abc", ["aa", "-b", "cc"]],
    ["", "ab", ["-a", "-b"]],
    ["", "", []],
  ])("%j and %j keep their order side by side", (left, right, rows) => {
    const pairs = commonPairs([...left], [...right], 1_000) ?? [];
    const shown = rowsOf(pairs, left.length, right.length).map(
      ([ours, theirs]) => `${ours === null ? "-" : left[ours]}${theirs === null ? "-" : right[theirs]}`,
    );
    expect(shown).toEqual(rows);
  });

  test("that would take too long are not compared item by item", () => {
    expect(commonPairs([..."abcd"], [..."efgh"], 15)).toBeNull();
    expect(commonPairs([..."abcd"], [..."efgh"], 16)).toEqual([]);
  });

  test("are paired so that most agrees", () => {
    expect(
      bestPairs(
        [
          [0, 0.9],
          [0.5, 0],
        ],
        2,
      ),
    ).toEqual([[0, 1]]);
  });
});

describe("two JSON values", () => {
  const differing = (left: unknown, right: unknown) =>
    jsonLines(left, right)
      .filter(({ begins }) => begins)
      .map(({ path }) => path);

  test.each<[unknown, unknown, string[]]>([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, []],
    [{ a: 1 }, { a: 2 }, ["$.a"]],
    [{ a: { b: [1, 2] } }, { a: { b: [1, 3] } }, ["$.a.b[1]"]],
    [{ a: 1 }, { a: 1, b: { c: 1, d: 2 } }, ["$.b"]],
    [[1, 2, 3], [2, 3], ["$[0]"]],
    [undefined, { a: 1, b: 2 }, ["$"]],
    ["one", 1, ["$"]],
    [9007199254740993n, 9007199254740992n, ["$"]],
    [undefined, undefined, []],
  ])("%# differ where a difference begins, once", (left, right, paths) => {
    expect(differing(left, right)).toEqual(paths);
  });

  test("are shown line by line, each side as it is", () => {
    expect(
      jsonLines({ a: "x", n: null }, { a: 7 }).map(({ name, left, right }) => [
        name,
        left?.text,
        right?.text,
      ]),
    ).toEqual([
      ["a", '"x"', "7"],
      ["n", "null", undefined],
    ]);
  });

  test.each<[unknown, unknown, number]>([
    [{ a: 1 }, { a: 1 }, 1],
    [{ a: 1, b: 2 }, { a: 1, b: 3 }, 0.5],
    [{ a: 1 }, { b: 1 }, 0],
    [[1, 2], [2], 2 / 3],
    ["one two three four five six", "one two three four five seven", 5 / 6],
    ["short", "shorter", 0],
  ])("%# overlap by their leaves", (left, right, share) => {
    expect(overlap(left, right)).toBeCloseTo(share);
    expect(overlap(right, left)).toBeCloseTo(share);
  });

  test("are the same text when they are the same value", () => {
    expect(canonical({ b: [{ d: 1, c: 2 }], a: 1 })).toBe(canonical({ a: 1, b: [{ c: 2, d: 1 }] }));
  });
});

describe("two texts", () => {
  const marked = (pieces: Piece[]) =>
    pieces.map(({ text, hunk }) => (hunk === null ? text : `[${text}]`)).join("");

  test.each([
    ["The order is sent.", "the ORDER, is sent", "The order is sent.", "the ORDER, is sent", []],
    ["It is late.", "It is early.", "It is [late].", "It is [early].", ["word 3"]],
    ["a b c", "a c", "a [b] c", "a c", ["word 2"]],
    ["", "new words", "", "[new words]", ["word 1"]],
    ["…", "!", "[…]", "[!]", ["text"]],
    ["注文は遅い", "注文は早い", "注文は[遅]い", "注文は[早]い", ["word 4"]],
  ])("%j and %j differ by word", (left, right, ours, theirs, hunks) => {
    const compared = compareTexts(left, right);
    expect([marked(compared.left), marked(compared.right), compared.hunks]).toEqual([ours, theirs, hunks]);
  });

  test("are whole again when their pieces are put together", () => {
    const [left, right] = ["One, two; three – four?", "Zero. two three: five four!"];
    const compared = compareTexts(left, right);
    expect(compared.left.map(({ text }) => text).join("")).toBe(left);
    expect(compared.right.map(({ text }) => text).join("")).toBe(right);
  });

  test("are counted in words, and characters where nobody writes spaces", () => {
    expect(["", "two words", "注文 ok"].map(countWords)).toEqual([0, 2, 3]);
  });
});

describe("calls", () => {
  const call = (tool: string, given: object) => ({ tool, arguments: given }) as Behaviour["calls"][number];

  test("stand beside those of their tool, and the rest by themselves", () => {
    const rows = compareCalls(
      [call("get_order", { id: 1 }), call("refund", { id: 1, amount: 5 }), call("note", {})],
      [call("get_order", { id: 1 }), call("list", {}), call("refund", { id: 1, amount: 9 })],
    );
    expect(rows.map(({ left, right, same, where }) => [left?.tool, right?.tool, same, where])).toEqual([
      ["get_order", "get_order", true, "arguments of call 1"],
      [undefined, "list", false, "call 2"],
      ["refund", "refund", false, "arguments of call 2"],
      ["note", undefined, false, "call 3"],
    ]);
  });
});

describe("a ledger", () => {
  const changes = [
    {
      kind: "added",
      entity_type: "order",
      id: "o2",
      before: null,
      after: { id: "o2", total: 2 },
      fields: [],
    },
    {
      kind: "added",
      entity_type: "order",
      id: "o1",
      before: null,
      after: { id: "o1", total: 1 },
      fields: [],
    },
    {
      kind: "changed",
      entity_type: "order",
      id: "o9",
      before: {},
      after: { s: "sent" },
      fields: ["s", "gone"],
    },
    { kind: "removed", entity_type: "note", id: "n1", before: {}, after: null, fields: [] },
  ];

  test("counts what was made up by what it is, not by its id", () => {
    expect(ledgerTree({ ...NOTHING, ledger: { changes, flags_set: ["late"] } })).toEqual({
      added: { order: [{ total: 1 }, { total: 2 }] },
      changed: { order: { o9: { s: "sent", gone: null } } },
      removed: { note: { n1: true } },
      flags_set: { late: true },
    });
  });
});

describe("two behaviours", () => {
  const spoken: Behaviour = { ...NOTHING, structured: { refund: 5 }, text: "It is sent." };

  test("part ways first where one reads first", () => {
    const compared = compareBehaviours(spoken, { ...spoken, structured: { refund: 7 }, text: "It is lost." });
    expect(compared.first).toEqual({ part: "structured", where: "$.refund" });
    expect(compared.counts).toEqual({ failure: 0, structured: 1, calls: 0, ledger: 0, text: 1 });
  });

  test("that agree have no first difference", () => {
    expect(compareBehaviours(spoken, spoken)).toMatchObject({ compared: true, first: null });
  });

  test.each([
    ["a failure", { ...spoken, failure: "timeout" }, { part: "failure", where: "error_class" }],
    ["nothing yet", null, null],
  ])("are not compared part by part with %s", (_what, after, first) => {
    expect(compareBehaviours(spoken, after)).toMatchObject({ compared: false, first });
  });
});
