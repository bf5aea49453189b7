import type { WorldSummary } from "~/api/worlds";

/** "1.4 MB" */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${shown(bytes / 1_000)} kB`;
  return `${shown(bytes / 1_000_000)} MB`;
}

function shown(number: number): string {
  return number < 10 ? number.toFixed(1) : Math.round(number).toLocaleString("en");
}

/** "1 entity", "2,104 entities" */
export function counted(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `1 ${one}` : `${count.toLocaleString("en")} ${many}`;
}

export function entitiesIn(counts: WorldSummary["entity_counts"]): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
