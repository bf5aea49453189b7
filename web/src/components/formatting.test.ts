import { expect, test } from "vitest";
import { counted, size } from "~/components/counted";
import { failureMode } from "~/components/failure-modes";
import { operationLines } from "~/components/ledger/operations";
import { money } from "~/components/money";
import { withNewlines } from "~/components/newlines";
import { intervalText, percent } from "~/components/share";

test.each([
  [0, "$0.00"],
  [12.4, "$12.40"],
  [0.01, "$0.01"],
  [0.003, "$0.003"],
  [0.00034, "$0.00034"],
])("%d is %s", (usd, words) => expect(money(usd)).toBe(words));

test.each([
  [0, "0 %"],
  [0.75, "75 %"],
  [1, "100 %"],
  [0.9999, "99.9 %"],
  [0.0001, "0.1 %"],
])("the share %d is %s: never rounded to all or to nothing", (share, words) => {
  expect(percent(share)).toBe(words);
});

test("an interval is named by its ends", () => {
  expect([intervalText([0.95, 0.99]), intervalText([])]).toEqual(["[95–99]", "[0–100]"]);
});

test.each([
  [1, "1 entity"],
  [0, "0 entities"],
  [2_104, "2,104 entities"],
])("%d is counted as %s", (count, words) => expect(counted(count, "entity", "entities")).toBe(words));

test.each([
  [999, "999 B"],
  [1_400, "1.4 kB"],
  [14_000, "14 kB"],
  [1_400_000, "1.4 MB"],
])("%d bytes are %s", (bytes, words) => expect(size(bytes)).toBe(words));

test("an editor holds one kind of line end", () => {
  expect(withNewlines("a\r\nb\rc\nd")).toBe("a\nb\nc\nd");
});

test.each([
  ["policy_violated", "policy violated"],
  ["budget_exhausted", "budget used up"],
  ["contract_error", "contract error"],
])("the failure mode %s is called %s", (name, words) => {
  expect(failureMode(name).words).toBe(words);
  expect(failureMode(name).means).not.toBe("");
});

test("operations on the ledger read as lines, with what was there before where it is known", () => {
  const before = {
    kind: "changed",
    entity_type: "order",
    id: "o1",
    before: { status: "pending" },
    after: null,
  };
  const lines = operationLines(
    [
      { op: "update", entity_type: "order", id: "o1", fields: { status: "sent", late: true } },
      { op: "add", entity_type: "note", id: "n1", fields: { text: "a" } },
      { op: "remove", entity_type: "note", id: "n0" },
      { op: "set_flag", flag: "urgent" },
      { op: "clear_flag", flag: "calm" },
    ],
    [{ ...before, fields: ["status"] } as never],
  );
  expect(lines.map(({ sign, subject, before, after }) => [sign, subject, before, after])).toEqual([
    ["~", "order o1.status", '"pending"', '"sent"'],
    ["~", "order o1.late", null, "true"],
    ["+", "note n1", null, '{"text":"a"}'],
    ["−", "note n0", null, null],
    ["+", "urgent", null, null],
    ["−", "calm", null, null],
  ]);
});
