/** What the agent says it did, beside what the proxy saw. */
import { readJson } from "~/api/json";
import { jsonEqual } from "~/components/json-equal";
import {
  argumentsOf,
  isRecord,
  isRefused,
  listOf,
  numberOf,
  type TraceEvent,
  textOf,
} from "~/pages/run/model/events";

export interface Claim {
  id: string;
  name: string;
  /** The decoded object; the text itself where it is not JSON. */
  arguments: unknown;
  /** The message that answers it. */
  result: Message | null;
  proof: Proof;
}

export type Proof =
  | { kind: "seen"; step: number; refused: number | null }
  /** The proxy saw this tool, but not with these arguments. */
  | { kind: "differs"; step: number }
  | { kind: "unseen" };

export interface Message {
  index: number;
  role: string;
  content: unknown;
  thinking: unknown[];
  actor: string | null;
  claims: Claim[];
  /** Members beyond those of the contract. */
  rest: Record<string, unknown>;
}

export interface Transcript {
  /** Without tool messages that answer a call: those are the call's `result`. */
  messages: Message[];
  claims: Claim[];
  /** Calls the proxy saw that no message speaks of. */
  unclaimed: TraceEvent[];
}

const KNOWN = new Set([
  "role",
  "content",
  "tool_calls",
  "tool_call_id",
  "thinking",
  "agent_name",
  "actor",
  "actor_id",
  "name",
]);

export function readTranscript(raw: Record<string, unknown>[], events: TraceEvent[]): Transcript {
  const messages = raw.map(readMessage);
  const claims = messages.flatMap((message) => message.claims);
  const answers = new Set<number>();
  for (const [index, message] of messages.entries()) {
    const claim = claims.find((one) => one.id === raw[index]?.tool_call_id && one.result === null);
    if (message.role !== "tool" || !claim) continue;
    claim.result = message;
    answers.add(index);
  }
  const unclaimed = prove(claims, events);
  return { messages: messages.filter((message) => !answers.has(message.index)), claims, unclaimed };
}

function readMessage(raw: Record<string, unknown>, index: number): Message {
  return {
    index,
    role: textOf(raw.role) ?? "unknown",
    content: raw.content ?? null,
    thinking: listOf(raw.thinking),
    actor: textOf(raw.actor_id) ?? textOf(raw.actor) ?? textOf(raw.agent_name) ?? textOf(raw.name),
    claims: listOf(raw.tool_calls).filter(isRecord).map(readClaim),
    rest: Object.fromEntries(Object.entries(raw).filter(([name]) => !KNOWN.has(name))),
  };
}

/** Both accepted shapes: flat, and nested in `function`; arguments as an object or as JSON text. */
function readClaim(call: Record<string, unknown>): Claim {
  const inner = isRecord(call.function) ? call.function : call;
  return {
    id: String(call.id ?? ""),
    name: textOf(inner.name) ?? "?",
    arguments: decoded(inner.arguments),
    result: null,
    proof: { kind: "unseen" },
  };
}

export function decoded(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return readJson(value);
  } catch {
    return value;
  }
}

/** Each call of the proxy proves one claim: first those that are equal, in order, then those of the same tool. */
function prove(claims: Claim[], events: TraceEvent[]): TraceEvent[] {
  const left = events.filter((event) => event.kind === "tool_call" && textOf(event.data.tool_name) !== null);
  for (const claim of claims) {
    const event = take(
      left,
      (one) => one.data.tool_name === claim.name && jsonEqual(argumentsOf(one), claim.arguments),
    );
    if (event) claim.proof = { kind: "seen", step: event.sequence, refused: refusalOf(event) };
  }
  for (const claim of claims) {
    if (claim.proof.kind !== "unseen") continue;
    const event = take(left, (one) => one.data.tool_name === claim.name);
    if (event) claim.proof = { kind: "differs", step: event.sequence };
  }
  return left;
}

function take(events: TraceEvent[], wanted: (event: TraceEvent) => boolean): TraceEvent | undefined {
  const index = events.findIndex(wanted);
  return index === -1 ? undefined : events.splice(index, 1)[0];
}

function refusalOf(event: TraceEvent): number | null {
  return isRefused(event) ? numberOf(event.data.http_status) : null;
}

const TEXT_PARTS = new Set<unknown>([undefined, "text", "input_text", "output_text"]);

export type Part = { text: string } | { other: unknown };

/** Content as parts: text as text, anything else as the JSON it is. */
export function partsOf(content: unknown): Part[] {
  if (content === null || content === undefined) return [];
  return (Array.isArray(content) ? content : [content]).map((part) => {
    if (typeof part === "string") return { text: part };
    if (isRecord(part) && typeof part.text === "string" && TEXT_PARTS.has(part.type))
      return { text: part.text };
    return { other: part };
  });
}
