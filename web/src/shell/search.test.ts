import { describe, expect, test } from "vitest";
import { compact, oneOf, scenarioId, someOf, tag, text, uuid, whole, word, yesNo } from "~/shell/search";

const UUID = "0f8fad5b-d9cb-469f-a165-70867728950e";

interface Reading {
  read: (value: unknown) => unknown;
  kept: [written: unknown, read: unknown][];
  dropped: unknown[];
}

const READINGS: Record<string, Reading> = {
  text: {
    read: text,
    kept: [
      ["telescope", "telescope"],
      [7, "7"],
      [true, "true"],
      ["<script>", "<script>"],
    ],
    dropped: ["", null, undefined, {}, ["a"]],
  },
  "a word": { read: word, kept: [["contract_error", "contract_error"]], dropped: ["<b>", "A", "", 7, "a b"] },
  "a tag": { read: tag, kept: [["policy/limits", "policy/limits"]], dropped: ["<b>", "-x", "", "a b"] },
  "a whole number": {
    read: whole,
    kept: [
      ["5", 5],
      [0, 0],
      [2 ** 53 - 1, 2 ** 53 - 1],
    ],
    dropped: ["x", -1, "1.5", 2 ** 53, Number.NaN, null, [1]],
  },
  "an id": { read: uuid, kept: [[UUID, UUID]], dropped: ["", UUID.slice(1), `${UUID}0`, '"><script>', 7] },
  "a scenario": { read: scenarioId, kept: [[`scn_${UUID}`, `scn_${UUID}`]], dropped: [UUID, "scn_1", 7] },
  "yes or no": {
    read: yesNo,
    kept: [
      [true, true],
      [false, false],
    ],
    dropped: ["true", 1, null],
  },
  "one of some": {
    read: (value) => oneOf(value, ["ledger", "raw"]),
    kept: [["raw", "raw"]],
    dropped: ["nothing", 7, ["raw"], undefined],
  },
  "some of some": {
    read: (value) => someOf(value, ["failed", "running"]),
    kept: [
      ["failed", ["failed"]],
      [
        ["running", "made-up", "failed"],
        ["failed", "running"],
      ],
    ],
    dropped: ["made-up", ["made-up"], [], 7, undefined],
  },
};

describe.each(Object.entries(READINGS))("%s in an address", (_name, { read, kept, dropped }) => {
  test.each(kept)("%j is kept", (written, expected) => expect(read(written)).toEqual(expected));
  test.each(dropped.map((written) => [written]))("%j means nothing", (written) => {
    expect(read(written)).toBeUndefined();
  });
});

test("an address holds nothing that was not chosen", () => {
  expect(compact({ q: undefined, step: 0, since: "start", flagged: false })).toEqual({
    step: 0,
    since: "start",
    flagged: false,
  });
});
