/** What differs between two JSON documents. Lists of named things are matched by name, not by place. */
export type Path = (string | number)[];

export interface Change {
  path: Path;
  kind: "added" | "removed" | "changed" | "reordered";
  before?: unknown;
  after?: unknown;
}

const IDENTITIES = ["name", "actor_id", "type", "id"];

type Members = Record<string, unknown>;

export function diffJson(before: unknown, after: unknown, path: Path = []): Change[] {
  if (before === after) return [];
  if (isMembers(before) && isMembers(after)) return diffMembers(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return diffLists(before, after, path);
  return [{ path, kind: "changed", before, after }];
}

function diffMembers(before: Members, after: Members, path: Path): Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((member): Change[] => {
    const place = [...path, member];
    if (!Object.hasOwn(before, member)) return [{ path: place, kind: "added", after: after[member] }];
    if (!Object.hasOwn(after, member)) return [{ path: place, kind: "removed", before: before[member] }];
    return diffJson(before[member], after[member], place);
  });
}

function diffLists(before: unknown[], after: unknown[], path: Path): Change[] {
  const identity = identityOf([before, after]);
  if (identity !== null) return diffNamed(before as Members[], after as Members[], identity, path);
  const scalars = [...before, ...after].every((item) => typeof item !== "object" || item === null);
  if (scalars) {
    const same = before.length === after.length && before.every((item, i) => item === after[i]);
    return same ? [] : [{ path, kind: "changed", before, after }];
  }
  return Array.from({ length: Math.max(before.length, after.length) }).flatMap((_, i): Change[] => {
    if (i >= before.length) return [{ path: [...path, i], kind: "added", after: after[i] }];
    if (i >= after.length) return [{ path: [...path, i], kind: "removed", before: before[i] }];
    return diffJson(before[i], after[i], [...path, i]);
  });
}

function diffNamed(before: Members[], after: Members[], identity: string, path: Path): Change[] {
  const byName = (list: Members[]) => Object.fromEntries(list.map((item) => [String(item[identity]), item]));
  const changes = diffMembers(byName(before), byName(after), path);
  const names = (list: Members[], others: Members[]) => {
    const shared = new Set(others.map((item) => item[identity]));
    return list.map((item) => item[identity]).filter((name) => shared.has(name));
  };
  const [old, now] = [names(before, after), names(after, before)];
  const moved = old.some((name, i) => name !== now[i]);
  return moved ? [...changes, { path, kind: "reordered", before: old, after: now }] : changes;
}

/** The member by which every item of every list is told apart, if there is one. */
function identityOf(lists: unknown[][]): string | null {
  const named = (list: unknown[], member: string) => {
    const names = list.map((item) => (isMembers(item) ? item[member] : undefined));
    return names.every((name) => typeof name === "string") && new Set(names).size === names.length;
  };
  if (lists.every((list) => list.length === 0)) return null;
  return IDENTITIES.find((member) => lists.every((list) => named(list, member))) ?? null;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
