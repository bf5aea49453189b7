import { expect, test } from "vitest";
import { readJson, writeJson } from "~/api/json";

test.each([
  '{"seed":9007199254740993}',
  '{"low":-9007199254740993,"small":7}',
  "[12345678901234567890]",
  '{"text":"9007199254740993"}',
])("%s is written as it was read", (text) => {
  expect(writeJson(readJson(text), 0)).toBe(text);
});

test("a number that is no long integer stays a number", () => {
  expect(readJson('{"a":1.5,"b":1e300,"c":0.30000000000000004}')).toEqual({ a: 1.5, b: 1e300, c: 0.1 + 0.2 });
});

test("nothing is read from an empty answer", () => {
  expect(readJson("")).toBeUndefined();
});
