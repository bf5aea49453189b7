/** The trace of one attempt as rows on a time axis. */
import { writeJson } from "~/api/json";
import {
  argumentsOf,
  countOf,
  isRecord,
  isRefused,
  numberOf,
  operationsOf,
  payloadOf,
  ruleIndexOf,
  sourceOf,
  type TraceEvent,
  textOf,
  wordsOf,
} from "~/pages/run/model/events";
import type { Source } from "~/theme/palette";

export interface Step {
  sequence: number;
  event: TraceEvent;
  /** A tool, a type of trace event, or the kind. */
  name: string;
  /** One line of what it is about. */
  about: string;
  actor: string | null;
  source: Source | null;
  refused: boolean;
  /** Only where it is not 200. */
  status: number | null;
  rule: number | null;
  /** Of a call that went out to a live tool: what is known of its answer. */
  sent: Sent | null;
  /** Played from a cassette. */
  cassette: boolean;
  /** Operations on the ledger. */
  changes: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** Milliseconds; null for what is a moment, and for a dispatch without a reply. */
  length: number | null;
}

/** `unknown`: it was sent, and no answer will be known any more. */
export type Sent = { state: "answered"; step: number } | { state: "waiting" } | { state: "unknown" };

export interface Axis {
  /** Milliseconds since the epoch. */
  began: number;
  /** Milliseconds. */
  span: number;
}

const ABOUT_LENGTH = 160;

/** `going` while answers may still come. */
export function buildSteps(events: TraceEvent[], going = false): Step[] {
  const replied = events.findLast((event) => event.kind === "reply");
  const ended = replied ? Date.parse(replied.occurred_at) : null;
  const answers = new Map(
    events
      .filter((event) => event.kind === "tool_call" && "forward" in event.data)
      .map((event) => [event.data.forward, event.sequence]),
  );
  return events.map((event) => ({
    ...stepOf(event, ended),
    sent: event.kind === "forward" ? sentOf(answers.get(event.sequence), going) : null,
  }));
}

function sentOf(answer: number | undefined, going: boolean): Sent {
  if (answer !== undefined) return { state: "answered", step: answer };
  return { state: going ? "waiting" : "unknown" };
}

/**
 * From the first thing the platform did to the last; `until` is now for an attempt that still runs. Trace events
 * may state any time, so they count only where there is nothing else; grades may be given days later.
 */
export function axisOf(steps: Step[], until: number | null): Axis {
  const own = steps.filter(({ event }) => event.kind !== "trace_event" && event.kind !== "grade");
  const counted = own.length > 1 || until !== null ? own : steps;
  const began = counted.reduce((first, step) => Math.min(first, step.at), Number.POSITIVE_INFINITY);
  const ended = counted.reduce(
    (last, step) => Math.max(last, endOf(step)),
    until ?? Number.NEGATIVE_INFINITY,
  );
  return Number.isFinite(began) ? { began, span: Math.max(ended - began, 1) } : { began: 0, span: 1 };
}

/** A dispatch lasts until the reply, which is there too. */
function endOf(step: Step): number {
  return step.event.kind === "dispatch" ? step.at : step.at + (step.length ?? 0);
}

export interface Place {
  /** Shares of the axis, 0 to 1. */
  left: number;
  width: number;
}

export function placeOf(step: Step, { began, span }: Axis): Place {
  const share = (moment: number) => Math.min(Math.max((moment - began) / span, 0), 1);
  const isOpen = step.event.kind === "dispatch" && step.length === null;
  const left = share(step.at);
  return { left, width: share(isOpen ? began + span : step.at + (step.length ?? 0)) - left };
}

/** Where an event says of itself that it happened, when that is not within the attempt. */
export function outsideOf(step: Step, { began, span }: Axis): "before" | "after" | null {
  return step.at < began ? "before" : step.at > began + span ? "after" : null;
}

function stepOf(event: TraceEvent, ended: number | null): Omit<Step, "sent"> {
  const [at, length] = timesOf(event, ended);
  const status = numberOf(event.data.http_status);
  return {
    sequence: event.sequence,
    event,
    name: nameOf(event),
    about: aboutOf(event).slice(0, ABOUT_LENGTH),
    actor: event.actor_id,
    source: sourceOf(event),
    refused: isRefused(event),
    status: status === null || status === 200 ? null : status,
    rule: ruleIndexOf(event),
    cassette: event.kind === "tool_call" && isRecord(event.data.cassette),
    changes: operationsOf(event).length,
    at,
    length,
  };
}

/** When it began, and how long it took. Calls that were recorded without both moments have a latency only. */
function timesOf(event: TraceEvent, replied: number | null): [at: number, length: number | null] {
  const occurred = Date.parse(event.occurred_at);
  if (event.kind === "dispatch") return [occurred, replied === null ? null : replied - occurred];
  if (event.kind !== "tool_call") return [occurred, null];
  const [started, ended] = [textOf(event.data.started_at), textOf(event.data.ended_at)];
  if (started === null || ended === null) return [occurred, numberOf(event.data.latency_ms)];
  return [Date.parse(started), Date.parse(ended) - Date.parse(started)];
}

function nameOf(event: TraceEvent): string {
  if (event.kind === "tool_call") return textOf(event.data.tool_name) ?? "tool calls";
  if (event.kind === "forward") return textOf(event.data.tool_name) ?? event.kind;
  if (event.kind === "trace_event") return textOf(event.data.event_type) ?? "trace events";
  return event.kind;
}

function aboutOf(event: TraceEvent): string {
  if (countOf(event) > 1 || "count" in event.data) return `${countOf(event)} × ${String(event.data.code)}`;
  switch (event.kind) {
    case "tool_call":
      return membersOf(argumentsOf(event));
    case "forward":
      return isRecord(event.data.endpoint) ? `to ${String(event.data.endpoint.name)}` : "";
    case "trace_event":
      return aboutTraceEvent(event);
    case "dispatch":
      return textOf(event.data.url) ?? "";
    case "reply":
      return textOf(event.data.error_class) ?? finalResponseOf(event.data.body) ?? "";
    case "grade":
      return textOf(event.data.reason) ?? "";
    default:
      return textOf(event.data.message) ?? textOf(event.data.detail) ?? "";
  }
}

function aboutTraceEvent(event: TraceEvent): string {
  if (isRefused(event)) return textOf(event.data.code) ?? "";
  const payload = payloadOf(event);
  if (event.data.event_type === "handoff") {
    const reason = textOf(payload.reason);
    return `${String(payload.from ?? "?")} → ${String(payload.to ?? "?")}${reason ? `: ${reason}` : ""}`;
  }
  return wordsOf(payload) ?? membersOf(payload);
}

function finalResponseOf(body: unknown): string | null {
  return isRecord(body) ? textOf(body.final_response) : null;
}

function membersOf(value: unknown): string {
  if (!isRecord(value))
    return value === null || value === undefined ? "" : writeJson(value, 0).slice(0, ABOUT_LENGTH);
  return Object.entries(value)
    .slice(0, 6)
    .map(([name, member]) => `${name}: ${typeof member === "string" ? member : writeJson(member, 0)}`)
    .join(", ");
}

export interface StepFilter {
  source?: Source[] | undefined;
  actor?: string | undefined;
  q?: string | undefined;
}

const searchable = new WeakMap<TraceEvent, string>();

function textToSearch(event: TraceEvent): string {
  let text = searchable.get(event);
  if (text === undefined) {
    text = `${event.kind} ${event.actor_id ?? ""} ${writeJson(event.data, 0)}`.toLowerCase();
    searchable.set(event, text);
  }
  return text;
}

export const NO_ACTOR = "(none)";

export function filterSteps(steps: Step[], { source, actor, q }: StepFilter): Step[] {
  const words = q?.toLowerCase().split(/\s+/).filter(Boolean) ?? [];
  if (!source && !actor && words.length === 0) return steps;
  return steps.filter(
    (step) =>
      (!source || (step.source !== null && source.includes(step.source))) &&
      (!actor || (step.actor ?? NO_ACTOR) === actor) &&
      words.every((word) => textToSearch(step.event).includes(word)),
  );
}

const MINUTE = 60_000;
const MINUTES = [0.25, 0.5, 1, 2, 5, 10, 15, 30, 60].map((minutes) => minutes * MINUTE);

/** Round moments between two, evenly apart: about `most` of them. */
export function ticksOf(from: number, span: number, most: number): number[] {
  const wanted = span / Math.max(most, 1);
  const size = wanted > MINUTE / 6 ? (MINUTES.find((one) => one >= wanted) ?? 60 * MINUTE) : roundUp(wanted);
  const first = Math.ceil(from / size);
  const last = Math.floor((from + span) / size);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * size);
}

/** The next 1, 2 or 5 times a power of ten, at least 1. */
function roundUp(number: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(number, 1)));
  return [1, 2, 5].map((factor) => factor * magnitude).find((one) => one >= number) ?? 10 * magnitude;
}
