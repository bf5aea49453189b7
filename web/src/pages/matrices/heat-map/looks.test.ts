import { describe, expect, test } from "vitest";
import type { Floor, Incident, MatrixCell, Stage } from "~/api/matrices";
import {
  cameBack,
  countKinds,
  incidentsIn,
  judgedOn,
  KIND_MEANS,
  lookOf,
  saidOf,
  spokenOf,
} from "~/pages/matrices/heat-map/looks";

const CELL = {
  scenario_id: "scn_1",
  rule_set: null,
  state: "measured",
  reason: null,
  shift: 0.04,
  noise_floor: 0.1,
  q_value: 0.4,
  threshold: 0.5,
  significant: false,
  flagged: false,
  confirmed: false,
  band: "green",
  incidents: [],
  stages: [],
  runs: { baseline: [1, 2, 3], variation: [4, 5], placebo: [], missing: [], undelivered: [] },
} as unknown as MatrixCell;

const cell = (changes: Partial<MatrixCell>): MatrixCell => ({ ...CELL, ...changes });
const stage = (name: Stage["name"], runs: number, baseline_runs: number) =>
  ({ name, runs, baseline_runs, run_ids: [], baseline_run_ids: [] }) as unknown as Stage;
const incident = (changes: Partial<Incident>) =>
  ({ severity: "grave", recurs: null, ...changes }) as Incident;
const broken = { scenario_id: "scn_1", rule_set: null, broken: true } as Floor;
const FIRST = [stage("first", 4, 12)];
const BOTH = [...FIRST, stage("fresh", 16, 15)];

describe("each cell is counted once, as the most urgent thing that it is", () => {
  const states = ["measured", "insufficient", "undelivered", "pending"] as const;
  const bands = ["green", "amber", "red"] as const;
  const yes = [true, false];
  const every = states.flatMap((state) =>
    bands.flatMap((band) =>
      yes.flatMap((confirmed) =>
        yes.flatMap((flagged) =>
          [true, false, null].map((significant) =>
            cell({
              state,
              band: state === "measured" ? band : null,
              shift: state === "measured" ? 0.3 : null,
              confirmed,
              flagged,
              significant,
            }),
          ),
        ),
      ),
    ),
  );

  test.each([[[]], [[broken]]])("whatever it is, with the floors %j", (floors) => {
    const counts = countKinds({ cells: every, floors });
    expect(counts.map(([kind]) => kind)).toEqual(Object.keys(KIND_MEANS));
    expect(counts.reduce((sum, [, count]) => sum + count, 0)).toBe(every.length);
    const kinds = new Map(counts);
    expect(kinds.get("confirmed")).toBe(every.filter(({ confirmed }) => confirmed).length);
    expect(kinds.get("green")).toBe(floors.length > 0 ? 0 : kinds.get("amber"));
    expect(kinds.get("failing")).toBe(floors.length > 0 ? kinds.get("amber") : 0);
  });

  test("what fails is its row alone, whatever stands in another rule set of the scenario", () => {
    const cells = [cell({}), cell({ rule_set: "orders fail" }), cell({ scenario_id: "scn_2" })];
    const kinds = new Map(countKinds({ cells, floors: [broken] }));
    expect([kinds.get("failing"), kinds.get("green")]).toEqual([1, 2]);
  });
});

test("a row that fails without pressure has no green, and its red stays red", () => {
  expect([lookOf(cell({})), lookOf(cell({}), true)]).toEqual(["green", "failing"]);
  expect(lookOf(cell({ band: "red" }), true)).toBe("red");
  expect(lookOf(cell({ state: "undelivered", band: null }), true)).toBe("undelivered");
});

test("whoever cannot see a cell is told all that stands in it", () => {
  const incidents = [incident({}), incident({ severity: "minor" }), incident({ severity: "minor" })];
  expect(spokenOf(cell({ incidents }))).toBe("0.04 grave incident +2, green");
  expect(spokenOf(cell({ band: "red", confirmed: true }), true)).toBe(
    "0.04 confirmed, red, on a row that fails without pressure",
  );
  expect(spokenOf(cell({}), true)).toBe("0.04, failing as it does without pressure");
  expect(spokenOf(cell({ state: "insufficient", shift: null, band: null }))).toBe("insuff., insufficient");
  expect([incidentsIn(cell({})), incidentsIn(cell({ incidents: [incident({})] }))]).toEqual([
    null,
    "grave incident",
  ]);
});

test.each([
  [{}, {}, "As without pressure."],
  [{}, { failing: true }, "As without pressure, where it fails already."],
  [{ stages: BOTH }, {}, "As without pressure. Its fresh runs do not confirm a change."],
  [{ band: "amber" }, {}, "Some change, not above its threshold."],
  [{ significant: true, q_value: 0.01 }, {}, "Significant: the change is real and small (q = 0.010)."],
  [{ flagged: true, band: "red" }, {}, "Flagged: above its threshold, but it may be noise (q = 0.40)."],
  [
    { flagged: true, significant: true, threshold: 0.01 },
    {},
    "Flagged: above its threshold, and not noise (q = 0.40), but below the 0.20 from which it is confirmed.",
  ],
  [
    { confirmed: true, flagged: true, reason: "shift_and_match_rate", stages: BOTH },
    { runAgain: true },
    "Confirmed on fresh runs by a shift that is not noise, and by fewer matches.",
  ],
  [
    { confirmed: true, reason: "shift", stages: FIRST },
    { runAgain: true },
    "Confirmed on its first runs by a shift that is not noise. Its shift is not above its threshold of 0.50.",
  ],
  [
    { confirmed: true, reason: "match_rate", stages: FIRST },
    {},
    "Confirmed by fewer matches alone, not by chance.",
  ],
  [
    { state: "insufficient", flagged: true },
    {},
    "Too few runs: 2 under pressure and 3 without; it takes 3 and 4. Flagged by its raw shift.",
  ],
  [{ state: "insufficient", noise_floor: 0.9 }, {}, /^Too noisy: runs without pressure are 0.90 apart/],
  [{ state: "undelivered", stages: BOTH }, {}, "The text did not reach the agent, so nothing can be said."],
  [{ state: "pending" }, {}, "Not all of its runs have ended."],
] as [Partial<MatrixCell>, object, string | RegExp][])("of %j in %j is said %j", (changes, around, said) => {
  expect(saidOf(cell(changes), around)).toEqual(said instanceof RegExp ? expect.stringMatching(said) : said);
});

test.each([
  ["measured", [], null],
  ["measured", FIRST, "its first runs; it was not run again"],
  ["measured", BOTH, "its 16 fresh runs, against 15 fresh baselines"],
  ["pending", BOTH, "its first runs, until all of its fresh runs have ended"],
  ["pending", FIRST, null],
] as const)("a cell that is %s with the stages %j is judged on %j", (state, stages, on) => {
  expect(judgedOn(cell({ state, stages: [...stages] }))).toBe(on);
});

test.each([
  [true, "measured", "it came back on fresh runs"],
  [false, "measured", "fresh runs do not show that it comes back"],
  [null, "measured", "its cell was not run again"],
  [null, "pending", "not all runs of its cell have ended"],
] as const)("an incident whose recurrence is %j in a cell that is %s: %s", (recurs, state, said) => {
  expect(cameBack(incident({ recurs }), cell({ state }))).toBe(said);
});
