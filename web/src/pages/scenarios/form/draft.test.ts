import { expect, test } from "vitest";
import type { Scenario } from "~/api/scenarios";
import { BLANK, bodyOf, draftOf } from "~/pages/scenarios/form/draft";

test("a scenario that is edited keeps the meaning of its checks, a new one has that of today", () => {
  const stored = { checks_version: 1, input_context: {}, expected_behavior: {} } as unknown as Scenario;
  expect(bodyOf(draftOf(stored)).checks_version).toBe(1);
  expect(bodyOf(BLANK).checks_version).toBe(2);
});
