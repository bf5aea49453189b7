import type { WorldSummary } from "~/api/worlds";

export function entitiesIn(counts: WorldSummary["entity_counts"]): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
