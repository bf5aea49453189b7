/** What a trace is made of. `data` is partly foreign, so everything read from it is looked at first. */
import type { Schemas } from "~/api/client";
import { readJson } from "~/api/json";
import type { Operation } from "~/components/ledger/operations";
import { SOURCES, type Source } from "~/theme/palette";

export type TraceEvent = Schemas["EventOut"];

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Turned away by the proxy: nothing answered it and nothing changed. */
export function isRefused(event: TraceEvent): boolean {
  return (numberOf(event.data.http_status) ?? 200) >= 400 && event.kind !== "reply";
}

/** Who answered a call; a refused one counts as an error. */
export function sourceOf(event: TraceEvent): Source | null {
  if (event.kind !== "tool_call") return null;
  if (isRefused(event)) return "error";
  return SOURCES.find((source) => source === event.data.source) ?? null;
}

export function operationsOf(event: TraceEvent): Operation[] {
  return event.kind === "tool_call" ? (listOf(event.data.operations) as Operation[]) : [];
}

/** Calls that were answered by a live tool, or were to be; also those played from a cassette. */
export function isLive(event: TraceEvent): boolean {
  return (
    event.kind === "tool_call" &&
    (event.data.source === "passthrough" || event.data.source === "transport_error")
  );
}

export function ruleIndexOf(event: TraceEvent): number | null {
  return numberOf(event.data.matched_rule_index);
}

/** How many refusals one counting event stands for; 1 for every other event. */
export function countOf(event: TraceEvent): number {
  return numberOf(event.data.count) ?? 1;
}

export function payloadOf(event: TraceEvent): Record<string, unknown> {
  return isRecord(event.data.payload) ? event.data.payload : {};
}

/** The words of a trace event, where it has any. */
export function wordsOf(payload: Record<string, unknown>): string | null {
  return textOf(payload.text) ?? textOf(payload.content);
}

/** The arguments as the agent sent them, also of a call that was refused before they were read. */
export function argumentsOf(event: TraceEvent): unknown {
  if ("arguments" in event.data) return event.data.arguments;
  return readOrNull(event.data.body);
}

function readOrNull(body: unknown): unknown {
  if (typeof body !== "string") return null;
  try {
    return readJson(body);
  } catch {
    return null;
  }
}

export interface SourceCounts {
  sources: Record<Source, number>;
  refused: number;
  /** Sent to a live tool, and no answer is recorded. */
  unanswered: number;
  total: number;
}

/** Calls by who answered; refused ones apart from the calls that were answered with an error. */
export function countCalls(events: TraceEvent[]): SourceCounts {
  const counts: SourceCounts = {
    sources: { odyssey: 0, injected: 0, passthrough: 0, error: 0, transport_error: 0 },
    refused: 0,
    unanswered: 0,
    total: 0,
  };
  const answered = new Set(events.map((event) => event.data.forward));
  for (const event of events) {
    if (event.kind === "forward" && !answered.has(event.sequence)) {
      counts.unanswered += 1;
      counts.total += 1;
    }
    if (event.kind !== "tool_call") continue;
    const source = sourceOf(event);
    counts.total += countOf(event);
    if (isRefused(event)) counts.refused += countOf(event);
    else if (source !== null) counts.sources[source] += 1;
  }
  return counts;
}

/** How often each failure rule answered. */
export function countRules(events: TraceEvent[]): Map<number, number> {
  const fired = new Map<number, number>();
  for (const event of events) {
    const index = ruleIndexOf(event);
    if (index !== null) fired.set(index, (fired.get(index) ?? 0) + 1);
  }
  return fired;
}
