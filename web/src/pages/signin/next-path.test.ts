import { expect, test } from "vitest";
import { nextPath } from "~/pages/signin/next-path";

const ORIGIN = "https://odyssey.example";

test.each([
  ["/runs?status=failed", "/runs?status=failed"],
  ["/runs/7?step=5#top", "/runs/7?step=5#top"],
  ["/", "/"],
])("%s is a place of this server", (wanted, reached) => {
  expect(nextPath(wanted, ORIGIN)).toBe(reached);
});

test.each([
  [undefined],
  [""],
  ["runs"],
  ["//foreign.example/x"],
  ["///foreign.example/x"],
  ["/\\foreign.example"],
  ["\\/foreign.example"],
  ["/x\\..\\foreign.example"],
  ["/\t/foreign.example"],
  ["https://foreign.example/x"],
  ["javascript:alert(1)"],
  ["/signin?next=/signin"],
])("%j leads to the start page", (wanted) => {
  expect(nextPath(wanted, ORIGIN)).toBe("/");
});
