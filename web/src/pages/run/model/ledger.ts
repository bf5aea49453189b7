/** A ledger beside what changed in it, arranged for reading. */
import type { Schemas } from "~/api/client";
import type { Change } from "~/components/ledger/operations";
import { operationsOf, type TraceEvent } from "~/pages/run/model/events";

type Ledger = Schemas["LedgerOut"];

export interface EntityGroup {
  type: string;
  changed: Change[];
  unchanged: [id: string, fields: Record<string, unknown>][];
}

/** Sequences at which the ledger changed, ascending: between two of them it is the same. */
export function changePoints(events: TraceEvent[]): number[] {
  return events.filter((event) => operationsOf(event).length > 0).map((event) => event.sequence);
}

/** The last change at or before a step; 0 stands for the initial state. */
export function ledgerMoment(points: number[], sequence: number): number {
  return points.findLast((point) => point <= sequence) ?? 0;
}

/** Entities by type, types with changes first. Removed entities are in `changes` only. */
export function groupEntities(state: Ledger["state"], changes: Change[]): EntityGroup[] {
  const types = new Set([...changes.map((change) => change.entity_type), ...Object.keys(state)]);
  return [...types].map((type) => {
    const changed = changes.filter((change) => change.entity_type === type);
    const ids = new Set(changed.map((change) => change.id));
    const unchanged = Object.entries(state[type] ?? {}).filter(([id]) => !ids.has(id));
    return { type, changed, unchanged };
  });
}
