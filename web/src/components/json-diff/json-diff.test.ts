import { expect, test } from "vitest";
import { diffJson } from "~/components/json-diff/json-diff";

const named = (...names: string[]) => names.map((name) => ({ name }));

test.each<[what: string, before: unknown, after: unknown, changes: string[]]>([
  ["nothing", { a: [1] }, { a: [1] }, []],
  ["a value", { a: 1 }, { a: 2 }, ["changed a"]],
  ["members", { a: 1, b: 1 }, { b: 1, c: 1 }, ["removed a", "added c"]],
  ["plain lists, as a whole", { a: [1, 2] }, { a: [1, 3] }, ["changed a"]],
  ["lists of named things, by name", named("a", "b"), named("b"), ["removed a"]],
  ["a member of a named thing", [{ name: "a", x: 1 }], [{ name: "a", x: 2 }], ["changed a.x"]],
  ["the order of named things", named("a", "b"), named("b", "a"), ["reordered "]],
  ["things without names, by place", [{ x: 1 }], [{ x: 2 }, { x: 3 }], ["changed 0.x", "added 1"]],
  ["things that share a name, by place", named("a", "a"), named("a", "b"), ["changed 1.name"]],
  ["kinds", { a: {} }, { a: [] }, ["changed a"]],
])("two documents differ in %s", (_what, before, after, changes) => {
  expect(diffJson(before, after).map(({ kind, path }) => `${kind} ${path.join(".")}`)).toEqual(changes);
});
