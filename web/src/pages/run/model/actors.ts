/** Who acted: the agents inside the agent, as they label themselves and as they were declared. */
import type { AgentVersion } from "~/api/queries";
import { countOf, isRecord, listOf, type TraceEvent, textOf } from "~/pages/run/model/events";

export interface ActorNode {
  id: string;
  depth: number;
  calls: number;
  events: number;
  undeclared: boolean;
}

/** Ids of the declared sub-agents; null while the version is not known, which marks nobody. */
export function declaredActors(version: AgentVersion | undefined): Set<string> | null {
  if (!version) return null;
  const ids = listOf(version.config.sub_agents).map((agent) =>
    isRecord(agent) ? textOf(agent.actor_id) : null,
  );
  return new Set(ids.filter((id) => id !== null));
}

/** A label may be a path: it is declared as a whole, or name by name. */
export function isUndeclared(actor: string, declared: Set<string> | null): boolean {
  if (declared === null || declared.has(actor)) return false;
  return !actor.split("/").every((name) => declared.has(name));
}

/** Every actor below the one that called it; declared ones that did nothing are there too. */
export function actorTree(events: TraceEvent[], declared: Set<string> | null): ActorNode[] {
  const counts = new Map<string, { calls: number; events: number }>();
  const count = (id: string) => {
    const found = counts.get(id) ?? { calls: 0, events: 0 };
    counts.set(id, found);
    return found;
  };
  for (const id of declared ?? []) count(id);
  for (const event of events) {
    if (event.actor_id === null) continue;
    const found = count(event.actor_id);
    if (event.kind === "tool_call") found.calls += countOf(event);
    else found.events += 1;
  }
  return [...counts.entries()]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([id, found]) => ({
      id,
      depth: id.split("/").filter((_, part, parts) => part > 0 && counts.has(parts.slice(0, part).join("/")))
        .length,
      ...found,
      undeclared: isUndeclared(id, declared),
    }));
}

export interface Handoff {
  sequence: number;
  from: string;
  to: string;
  reason: string | null;
}

export function handoffsOf(events: TraceEvent[]): Handoff[] {
  return events.flatMap((event) => {
    const payload = event.data.payload;
    if (event.data.event_type !== "handoff" || !isRecord(payload)) return [];
    return [
      {
        sequence: event.sequence,
        from: String(payload.from ?? event.actor_id ?? "?"),
        to: String(payload.to ?? "?"),
        reason: textOf(payload.reason),
      },
    ];
  });
}
