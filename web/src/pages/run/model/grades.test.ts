import { expect, test } from "vitest";
import { failureMode } from "~/components/failure-modes";
import {
  type Answer,
  answerInWords,
  askedOf,
  type Check,
  checkName,
  claimInWords,
  differences,
  type Grade,
  gradedTimes,
  gradeOf,
  type Judge,
  noteInWords,
  worstFirst,
} from "~/pages/run/model/grades";
import { readWarning } from "~/pages/run/model/soft-warnings";

function check(index: number | null, state: Check["state"], more: Partial<Check> = {}): Check {
  return { index, kind: "called", check: null, state, reason: "", sequence: null, ...more };
}

function answered(...answers: [id: string, answer: unknown][]): Judge {
  return {
    ...{ state: "answered", passed: true, score: 1, claimed_actions: [], reason: "", provider: "openai" },
    ...{ model: "scripted", input_tokens: 0, output_tokens: 0, cost_usd: 0, raw_answer: null, version: "1" },
    answers: answers.map(([id, answer]) => ({ id, answer }) as unknown as Answer),
  };
}

const PASS: Grade = {
  ...{ number: 1, attempt: 1, verdict: "PASS", score: 1, failure_mode: null, reason: "", cost_usd: 0 },
  ...{ checks: [check(0, "passed")], claims: [], judge: answered(["clear", 5]), graders: { checks: "1" } },
  ...{ world_warning: null, world_notes: [], world_notes_left_off: 0 },
  created_at: "2026-11-16T10:00:00Z",
};

test("grades that agree differ in nothing", () => {
  expect(differences(PASS, { ...PASS, number: 2, reason: "said otherwise" })).toEqual([]);
});

test("every difference between two grades is one sentence", () => {
  const before: Grade = {
    ...PASS,
    verdict: "FAIL",
    score: 0.999,
    failure_mode: "rubric_failed",
    checks: [check(0, "failed")],
    judge: answered(["clear", 1], ["polite", true]),
  };
  expect(differences(before, { ...PASS, graders: { checks: "2" } })).toEqual([
    "verdict: fail → pass",
    "score: 99.9 % → 100 %",
    "failure mode: rubric failed → none",
    "check 1 (called): failed → passed",
    "answer to clear: 1 of 5 → 5 of 5",
    "version of the checks: 1 → 2",
  ]);
});

test("answers are not compared with those of a judge who gave none", () => {
  expect(differences({ ...PASS, judge: null }, PASS)).toEqual([
    "judge: none → answered",
    "judge model: none → scripted",
  ]);
});

test.each([
  [
    { tool: "update_order", claimed: 1, observed: 0 },
    "update_order was called once; the proxy never saw it.",
  ],
  [
    { tool: "update_order", claimed: 2, observed: 1 },
    "update_order was called twice; the proxy saw it once.",
  ],
  [{ tool: "t", claimed: 1_200, observed: 3 }, "t was called 1,200 times; the proxy saw it 3 times."],
])("a claim of %j is said in words", (claim, words) => {
  expect(claimInWords(claim)).toBe(`The transcript says ${words}`);
});

test.each([
  ["contradiction", "t: the answer contradicts the world. Why."],
  ["no_answer", "t: the world gave no answer. Why."],
  ["not_understood", "t: the call was not understood. Why."],
  ["guessed", "t: the world guessed. Why."],
] as const)("a note of a %s is said in words", (kind, words) => {
  expect(noteInWords({ sequence: 4, tool: "t", kind, message: "Why." })).toBe(words);
});

test("a grade of before there were notes has none", () => {
  const event = {
    sequence: 3,
    attempt: 1,
    kind: "grade",
    occurred_at: "",
    actor_id: null,
    data: {},
  } as const;
  expect(gradeOf(event).world_notes).toEqual([]);
});

test.each([
  ["side_effect", "side effect", /^The agent changed something/],
  ["world_at_fault", "world at fault", /says nothing about the agent/],
  ["agent_5xx", "agent 5xx", /server error/],
])("the failure mode %s has words and a meaning", (mode, words, means) => {
  expect(failureMode(mode).words).toBe(words);
  expect(failureMode(mode).means).toMatch(means);
});

test.each([
  [true, "yes"],
  [false, "no"],
  [4, "4 of 5"],
  ["friendly", "friendly"],
  [{ odd: 1 }, '{"odd":1}'],
])("the answer %j reads %s", (answer, words) => expect(answerInWords(answer)).toBe(words));

test("what went wrong stands before what went well, in the order it was asked", () => {
  const checks = [
    check(0, "passed"),
    check(1, "error"),
    check(2, "failed"),
    check(3, "passed"),
    check(4, "failed"),
  ];
  expect(worstFirst(checks).map(({ index }) => index)).toEqual([2, 4, 1, 0, 3]);
});

test.each([
  [check(1, "passed", { kind: "called", check: { called: { tool: "t" } } }), "Check 2", '{"tool":"t"}'],
  [check(0, "passed", { kind: "policy", check: { policy: "no refunds" } }), "Check 1", "no refunds"],
  [check(null, "passed", { kind: "refusal" }), "Built in", "no mutating call, ledger unchanged"],
])("a check says which it is and what it asks", (given, name, asked) => {
  expect([checkName(given), askedOf(given)]).toEqual([name, asked]);
});

test("how often it was graded is said as one would", () => {
  expect([1, 2, 3].map(gradedTimes)).toEqual(["Graded once", "Graded twice", "Graded 3 times"]);
});

test.each([
  ["messages_missing: the reply has none", "messages_missing", null],
  ["metadata_malformed: not an object", "metadata_malformed", "not an object"],
  ["messages_malformed", "messages_malformed", null],
])("the warning %s has a sentence of ours", (warning, code, found) => {
  expect(readWarning(warning)).toMatchObject({ code, found });
  expect(readWarning(warning).sentence).toMatch(/^The reply/);
});

test.each([
  ["new_code: what was found", "new_code", "what was found"],
  ["Something else\nentirely", "Something else\nentirely", "Something else\nentirely"],
])("a warning nobody knows is shown as it came", (warning, code, sentence) => {
  expect(readWarning(warning)).toEqual({ code, sentence, found: null });
});
