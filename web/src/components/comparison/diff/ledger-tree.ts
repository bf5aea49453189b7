/** What a run changed in its world, as the server compares it: entities it made up count by what they are, not by id. */
import type { Behaviour } from "~/api/evals";
import { canonical, type Members } from "~/components/comparison/diff/json";
import type { Change } from "~/components/ledger/operations";

interface LedgerDifference {
  changes: Change[];
  flags_set: string[];
  flags_cleared: string[];
}

export function ledgerOf(behaviour: Behaviour): LedgerDifference {
  const given = (behaviour.ledger ?? {}) as Partial<LedgerDifference>;
  return {
    changes: given.changes ?? [],
    flags_set: given.flags_set ?? [],
    flags_cleared: given.flags_cleared ?? [],
  };
}

/** As JSON whose leaves are what changed; empty where nothing did. */
export function ledgerTree(behaviour: Behaviour): Members {
  const { changes, flags_set, flags_cleared } = ledgerOf(behaviour);
  const added = new Map<string, Members[]>();
  const tree = new Map<string, Map<string, unknown>>();
  for (const { kind, entity_type, id, after, fields } of changes) {
    const ofKind = child(tree, kind);
    if (kind === "added") {
      const made = added.get(entity_type) ?? [];
      made.push(Object.fromEntries(Object.entries(after ?? {}).filter(([, value]) => value !== id)));
      added.set(entity_type, made);
      ofKind.set(entity_type, made);
    } else {
      const entities = (ofKind.get(entity_type) ?? {}) as Members;
      const became = Object.fromEntries(fields.map((field) => [field, after?.[field] ?? null]));
      ofKind.set(entity_type, { ...entities, [id]: kind === "changed" ? became : true });
    }
  }
  for (const made of added.values()) made.sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
  const flags = Object.entries({ flags_set, flags_cleared }).filter(([, names]) => names.length > 0);
  return {
    ...Object.fromEntries([...tree].map(([kind, types]) => [kind, Object.fromEntries(types)])),
    ...Object.fromEntries(
      flags.map(([name, set]) => [name, Object.fromEntries(set.map((each) => [each, true]))]),
    ),
  };
}

function child(tree: Map<string, Map<string, unknown>>, kind: string): Map<string, unknown> {
  const there = tree.get(kind) ?? new Map<string, unknown>();
  tree.set(kind, there);
  return there;
}
