/** Changes to a world's entities that are not saved yet. */
import type { Entity, Fields, State } from "~/api/worlds";
import { sameJson } from "~/components/rules/json-text";

/** One entity as it was and as it shall be; null: not there. */
export interface Edit {
  entity_type: string;
  id: string;
  before: Fields | null;
  after: Fields | null;
}

export type EditKind = "added" | "changed" | "removed";

export type EntityOperation =
  | { op: "add" | "update"; entity_type: string; id: string; fields: Fields }
  | { op: "remove"; entity_type: string; id: string };

/** Own members only: an entity may be called `constructor`. */
export function entityIn(state: State, type: string, id: string): Fields | null {
  const entities = Object.hasOwn(state, type) ? (state[type] ?? {}) : {};
  return Object.hasOwn(entities, id) ? (entities[id] ?? null) : null;
}

export function kindOfEdit({ before, after }: Edit): EditKind {
  return before === null ? "added" : after === null ? "removed" : "changed";
}

export function editOf(edits: Edit[], type: string, id: string): Edit | undefined {
  return edits.find((edit) => edit.entity_type === type && edit.id === id);
}

/** The list with this edit in the place of an earlier one of the same entity; an edit back to the start is none. */
export function withEdit(edits: Edit[], edit: Edit): Edit[] {
  const at = edits.findIndex(({ entity_type, id }) => entity_type === edit.entity_type && id === edit.id);
  const before = edits[at]?.before ?? edit.before;
  const next = { ...edit, before };
  const rest = edits.filter((_, index) => index !== at);
  if (sameJson(before, next.after)) return rest;
  return at < 0 ? [...edits, next] : edits.with(at, next);
}

export function withoutEdit(edits: Edit[], type: string, id: string): Edit[] {
  return edits.filter((edit) => edit.entity_type !== type || edit.id !== id);
}

export function operationsOf(edits: Edit[]): EntityOperation[] {
  return edits.flatMap(operationsOfOne);
}

function operationsOfOne({ entity_type, id, before, after }: Edit): EntityOperation[] {
  const entity = { entity_type, id };
  if (after === null) return before === null ? [] : [{ op: "remove", ...entity }];
  if (before === null) return [{ op: "add", ...entity, fields: after }];
  // An update names members; only an entity that is added anew can lack one that it had.
  if (Object.keys(before).some((name) => !Object.hasOwn(after, name))) {
    return [
      { op: "remove", ...entity },
      { op: "add", ...entity, fields: after },
    ];
  }
  return [{ op: "update", ...entity, fields: changedMembers(before, after) }];
}

function changedMembers(before: Fields, after: Fields): Fields {
  return Object.fromEntries(
    Object.entries(after).filter(
      ([name, value]) => !Object.hasOwn(before, name) || !sameJson(before[name], value),
    ),
  );
}

/** The names of members that an edit touches. */
export function touchedMembers({ before, after }: Edit): string[] {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].filter(
    (name) =>
      Object.hasOwn(before ?? {}, name) !== Object.hasOwn(after ?? {}, name) ||
      !sameJson(before?.[name], after?.[name]),
  );
}

/** The same wishes on a world that has moved on: members nobody here touched are taken as they are now. */
export function rebased(edits: Edit[], state: State): Edit[] {
  return edits.flatMap((edit): Edit[] => {
    const now = entityIn(state, edit.entity_type, edit.id);
    const after = edit.after === null ? null : merged(edit, now);
    return sameJson(now, after) ? [] : [{ ...edit, before: now, after }];
  });
}

function merged(edit: Edit, now: Fields | null): Fields {
  const wanted = edit.after ?? {};
  if (edit.before === null || now === null) return wanted;
  const touched = touchedMembers(edit);
  const kept = Object.entries(now).filter(([name]) => !touched.includes(name));
  const ours = touched.filter((name) => Object.hasOwn(wanted, name)).map((name) => [name, wanted[name]]);
  return Object.fromEntries([...kept, ...ours]);
}

/** The state after the edits. */
export function applied(state: State, edits: Edit[]): State {
  const types = new Map(
    Object.entries(state).map(([type, entities]) => [type, new Map(Object.entries(entities))]),
  );
  for (const { entity_type: type, id, after } of edits) {
    const entities = types.get(type) ?? new Map<string, Fields>();
    if (after === null) entities.delete(id);
    else entities.set(id, after);
    types.set(type, entities);
  }
  return Object.fromEntries([...types].map(([type, entities]) => [type, Object.fromEntries(entities)]));
}

/** What differs between two states, as edits that would lead from one to the other. */
export function differences(before: State, after: State): Edit[] {
  const types = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...types].flatMap((type) => {
    const ids = new Set([...idsOf(before, type), ...idsOf(after, type)]);
    return [...ids]
      .map((id) => ({
        entity_type: type,
        id,
        before: entityIn(before, type, id),
        after: entityIn(after, type, id),
      }))
      .filter((edit) => !sameJson(edit.before, edit.after));
  });
}

function idsOf(state: State, type: string): string[] {
  return Object.hasOwn(state, type) ? Object.keys(state[type] ?? {}) : [];
}

/** A page of entities with the edits in it: what was added stands first. */
export function withEdits(page: Entity[], edits: Edit[], type: string, q: string): Entity[] {
  const own = edits.filter((edit) => edit.entity_type === type);
  const there = new Set(page.map(({ id }) => id));
  const sought = q.trim().toLowerCase();
  const added = own
    .filter((edit) => edit.before === null && edit.after !== null && !there.has(edit.id))
    .filter((edit) => [edit.id, ...Object.values(edit.after ?? {})].some((value) => holds(value, sought)))
    .map(({ id, after }) => ({ entity_type: type, id, fields: after ?? {} }));
  const shown = page.map((entity) => {
    const edit = editOf(own, type, entity.id);
    return edit?.after ? { ...entity, fields: edit.after } : entity;
  });
  return [...added, ...shown];
}

function holds(value: unknown, sought: string): boolean {
  return sought === "" || (typeof value !== "object" && String(value).toLowerCase().includes(sought));
}
