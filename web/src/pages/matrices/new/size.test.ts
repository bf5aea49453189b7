import { describe, expect, test } from "vitest";
import { type Plan, pWords, sizeOf } from "~/pages/matrices/new/size";

const PLAN: Plan = {
  scenarios: 1,
  variations: 1,
  ruleSets: 0,
  repeats: 4,
  baselineRepeats: 12,
  placebo: false,
  budget: null,
  confirm: true,
  confirmRunsMax: null,
};
const size = (changes: Partial<Plan>) => sizeOf({ ...PLAN, ...changes });

test("rows, cells and planned runs are reckoned as the server does", () => {
  const { rows, cells, runs } = size({ scenarios: 3, variations: 7, ruleSets: 1, placebo: true });
  expect([rows, cells, runs]).toEqual([6, 42, 6 * (12 + 7 * 8)]);
  expect(size({ repeats: 3, baselineRepeats: 4 }).minP).toBeCloseTo(1 / 35, 12);
});

describe("the second look", () => {
  // As in server/tests/matrices/test_confirmation_http.py, of a plan of 16 runs.
  test.each([
    [{}, 8],
    [{ confirmRunsMax: 20 }, 20],
    [{ confirmRunsMax: 500, budget: 16 + 24 }, 24],
    [{ confirmRunsMax: 500, budget: 16 }, 0],
    [{ confirmRunsMax: 500, budget: 10 }, 0],
    [{ confirm: false, confirmRunsMax: 500 }, 0],
    [{ repeats: 5 }, 8],
    [{ scenarios: 4 }, 32],
  ] as [Partial<Plan>, number][])("with %j it may add %d runs", (changes, freshMax) => {
    expect(size(changes).freshMax).toBe(freshMax);
  });

  test("says where it cannot look, and not where nobody asked it to", () => {
    const lacks = (changes: Partial<Plan>) =>
      size(changes).warnings.filter((warning) => warning.startsWith("To look at one cell again"));
    expect(lacks({})).toEqual([
      "To look at one cell again takes 16 fresh runs, and 8 are allowed: cells will be judged on their first runs alone.",
    ]);
    expect(lacks({ confirmRunsMax: 16 })).toEqual([]);
    expect(lacks({ confirm: false })).toEqual([]);
  });

  test("takes the place of a finer plan", () => {
    const coarse = { scenarios: 2, repeats: 3, baselineRepeats: 4 };
    const isCoarse = (changes: Partial<Plan>) =>
      size({ ...coarse, ...changes }).warnings.some((warning) => warning.includes("too coarse"));
    expect([isCoarse({}), isCoarse({ confirmRunsMax: 16 }), isCoarse({ confirm: false })]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

test("a probability is written with two figures that count", () => {
  expect([pWords(1 / 1820), pWords(1 / 35), pWords(1e-9)]).toEqual(["0.00055", "0.029", "0.000001"]);
});
