import { describe, expect, test } from "vitest";
import {
  applied,
  differences,
  type Edit,
  entityIn,
  kindOfEdit,
  operationsOf,
  rebased,
  withEdit,
  withEdits,
} from "~/pages/worlds/entities/edits";

function edit(id: string, before: Edit["before"], after: Edit["after"]): Edit {
  return { entity_type: "order", id, before, after };
}

const ADDED = edit("o3", null, { total: 3 });
const CHANGED = edit("o1", { total: 1, status: "open" }, { total: 1, status: "sent" });
const REMOVED = edit("o2", { total: 2 }, null);
const STATE = { order: { o1: { total: 1, status: "open" }, o2: { total: 2 } } };

test("an edit adds, changes or removes", () => {
  expect([ADDED, CHANGED, REMOVED].map(kindOfEdit)).toEqual(["added", "changed", "removed"]);
});

describe("edits of one entity", () => {
  test("are one edit, from what was there first", () => {
    const twice = withEdit([CHANGED], edit("o1", { status: "sent" }, { total: 9, status: "sent" }));
    expect(twice).toEqual([edit("o1", CHANGED.before, { total: 9, status: "sent" })]);
  });

  test("back to the start are none", () => {
    expect(withEdit([ADDED, CHANGED], edit("o1", CHANGED.after, { status: "open", total: 1 }))).toEqual([
      ADDED,
    ]);
    expect(withEdit([ADDED], edit("o3", null, null))).toEqual([]);
  });
});

test("what is sent names only what changes; a member that goes needs the entity anew", () => {
  const without = edit("o1", { total: 1, status: "open" }, { total: 1 });
  expect(operationsOf([ADDED, CHANGED, REMOVED, without])).toEqual([
    { op: "add", entity_type: "order", id: "o3", fields: { total: 3 } },
    { op: "update", entity_type: "order", id: "o1", fields: { status: "sent" } },
    { op: "remove", entity_type: "order", id: "o2" },
    { op: "remove", entity_type: "order", id: "o1" },
    { op: "add", entity_type: "order", id: "o1", fields: { total: 1 } },
  ]);
});

test("the edits between two states lead from one to the other", () => {
  const after = applied(STATE, [ADDED, CHANGED, REMOVED]);
  expect(after).toEqual({ order: { o1: { total: 1, status: "sent" }, o3: { total: 3 } } });
  expect(applied(STATE, differences(STATE, after))).toEqual(after);
});

describe("on a world that has moved on", () => {
  test("members nobody here touched are taken as they are now", () => {
    const now = { order: { o1: { total: 7, status: "open" } } };
    expect(rebased([CHANGED], now)).toEqual([
      edit("o1", { total: 7, status: "open" }, { total: 7, status: "sent" }),
    ]);
  });

  test("a wish that has come true is none any more", () => {
    expect(rebased([CHANGED, REMOVED], { order: { o1: { status: "sent", total: 1 } } })).toEqual([]);
  });
});

test("an entity may be called as anything an object has", () => {
  expect(entityIn({}, "constructor", "name")).toBeNull();
  expect(entityIn({ order: {} }, "order", "constructor")).toBeNull();
});

test("what was added stands first in a page, if it is sought", () => {
  const page = [{ entity_type: "order", id: "o1", fields: { status: "open" } }];
  const ids = (q: string) =>
    withEdits(page, [ADDED, CHANGED], "order", q).map(({ id, fields }) => [id, fields.status]);
  expect(ids("")).toEqual([
    ["o3", undefined],
    ["o1", "sent"],
  ]);
  expect(ids("open")).toEqual([["o1", "sent"]]);
  expect(ids("3")).toHaveLength(2);
});
