import { expect, test } from "vitest";
import { actorTree, declaredActors, handoffsOf, isUndeclared } from "~/pages/run/model/actors";
import {
  argumentsOf,
  countCalls,
  countRules,
  sourceOf,
  type TraceEvent,
  wordsOf,
} from "~/pages/run/model/events";

let sequence = 0;

function event(
  kind: TraceEvent["kind"],
  data: TraceEvent["data"],
  actor_id: string | null = null,
): TraceEvent {
  sequence += 1;
  return { sequence, attempt: 1, kind, occurred_at: "2026-11-16T10:00:00Z", actor_id, data };
}

test.each([
  [event("tool_call", { source: "injected" }), "injected"],
  [event("tool_call", { source: "made up" }), null],
  [event("tool_call", { source: "odyssey", http_status: 422 }), "error"],
  [event("trace_event", { source: "odyssey" }), null],
])("an answer has one source", (told, source) => {
  expect(sourceOf(told)).toBe(source);
});

test("calls are counted by who answered; refused ones and those without an answer apart", () => {
  const sent = event("forward", { tool_name: "get_order" });
  const lost = event("forward", { tool_name: "get_order" });
  const counts = countCalls([
    event("dispatch", {}),
    event("tool_call", { source: "odyssey" }),
    event("tool_call", { source: "odyssey" }),
    event("tool_call", { source: "injected", matched_rule_index: 0 }),
    event("tool_call", { http_status: 422, code: "arguments_invalid" }),
    event("tool_call", { http_status: 429, code: "rate_limited", count: 7 }),
    sent,
    event("tool_call", { source: "passthrough", forward: sent.sequence }),
    lost,
  ]);
  expect(counts).toEqual({
    sources: { odyssey: 2, injected: 1, passthrough: 1, error: 0, transport_error: 0 },
    refused: 8,
    unanswered: 1,
    total: 13,
  });
});

test("a rule is counted each time it answered", () => {
  const answers = [0, 1, 0].map((rule) => event("tool_call", { matched_rule_index: rule }));
  expect([...countRules([...answers, event("tool_call", {})])]).toEqual([
    [0, 2],
    [1, 1],
  ]);
});

test.each([
  [{ arguments: { a: 1 } }, { a: 1 }],
  [{ body: '{"a": 9007199254740993}' }, { a: 9007199254740993n }],
  [{ body: "{" }, null],
  [{}, null],
])("the arguments of %j are as the agent sent them", (data, expected) => {
  expect(argumentsOf(event("tool_call", data))).toEqual(expected);
});

test.each([
  [{ text: "almost there" }, "almost there"],
  [{ text: "", content: "so" }, "so"],
  [{ content: 7 }, null],
])("the words of %j are found", (payload, words) => expect(wordsOf(payload)).toBe(words));

const DECLARED = new Set(["supervisor", "supervisor/refunds", "clerk"]);

test.each([
  ["supervisor", false],
  ["supervisor/refunds", false],
  ["supervisor/clerk", false],
  ["night-shift", true],
  ["supervisor/night-shift", true],
])("%s is undeclared: %s", (actor, undeclared) => {
  expect(isUndeclared(actor, DECLARED)).toBe(undeclared);
  expect(isUndeclared(actor, null)).toBe(false);
});

test("the declared actors are those of the version, whatever else stands there", () => {
  const version = { config: { sub_agents: [{ actor_id: "a" }, { actor_id: 7 }, "b"] } };
  expect(declaredActors(version as never)).toEqual(new Set(["a"]));
  expect(declaredActors(undefined)).toBeNull();
});

test("actors stand below those that called them, with what they did", () => {
  const told = [
    event("tool_call", { count: 2 }, "supervisor"),
    event("trace_event", {}, "supervisor/refunds"),
    event("tool_call", {}, "night-shift"),
  ];
  expect(actorTree(told, DECLARED)).toEqual([
    { id: "clerk", depth: 0, calls: 0, events: 0, undeclared: false },
    { id: "night-shift", depth: 0, calls: 1, events: 0, undeclared: true },
    { id: "supervisor", depth: 0, calls: 2, events: 0, undeclared: false },
    { id: "supervisor/refunds", depth: 1, calls: 0, events: 1, undeclared: false },
  ]);
});

test("a handoff names both sides, as far as they are known", () => {
  const whole = event("trace_event", { event_type: "handoff", payload: { from: "a", to: "b", reason: "c" } });
  const partial = event("trace_event", { event_type: "handoff", payload: {} }, "a");
  expect(handoffsOf([whole, partial, event("trace_event", { event_type: "note", payload: {} })])).toEqual([
    { sequence: whole.sequence, from: "a", to: "b", reason: "c" },
    { sequence: partial.sequence, from: "a", to: "?", reason: null },
  ]);
});
