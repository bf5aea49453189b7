import { describe, expect, test } from "vitest";
import type { TraceEvent } from "~/pages/run/model/events";
import { type Proof, partsOf, readTranscript } from "~/pages/run/model/transcript";

function call(sequence: number, tool_name: string, given: unknown, more: object = {}): TraceEvent {
  const data = { tool_name, arguments: given, ...more };
  return {
    sequence,
    attempt: 1,
    kind: "tool_call",
    occurred_at: "2026-11-16T10:00:00Z",
    actor_id: null,
    data,
  };
}

function claiming(...tool_calls: object[]): Record<string, unknown> {
  return { role: "assistant", content: null, tool_calls };
}

const FLAT = { id: "c1", name: "get_order", arguments: { order_id: "ord_2" } };
const NESTED = {
  id: "c2",
  type: "function",
  function: { name: "get_order", arguments: '{"order_id": "ord_2"}' },
};

describe("a claimed call", () => {
  test.each<[string, object, TraceEvent[], Proof]>([
    ["flat", FLAT, [call(2, "get_order", { order_id: "ord_2" })], { kind: "seen", step: 2, refused: null }],
    [
      "nested",
      NESTED,
      [call(2, "get_order", { order_id: "ord_2" })],
      { kind: "seen", step: 2, refused: null },
    ],
    [
      "refused",
      FLAT,
      [call(2, "get_order", { order_id: "ord_2" }, { http_status: 422 })],
      { kind: "seen", step: 2, refused: 422 },
    ],
    [
      "with other arguments",
      FLAT,
      [call(2, "get_order", { order_id: "ord_1" })],
      { kind: "differs", step: 2 },
    ],
    ["of another tool", FLAT, [call(2, "update_order", { order_id: "ord_2" })], { kind: "unseen" }],
    ["that nobody made", FLAT, [], { kind: "unseen" }],
  ])("%s is held against what the proxy saw", (_what, claim, events, proof) => {
    expect(readTranscript([claiming(claim)], events).claims[0]?.proof).toEqual(proof);
  });

  test("is proven by one call only, by its equal before another of its tool", () => {
    const events = [call(2, "get_order", { order_id: "ord_9" }), call(3, "get_order", { order_id: "ord_2" })];
    const read = readTranscript([claiming(FLAT, NESTED, { ...FLAT, id: "c3" })], events);
    expect(read.claims.map(({ proof }) => proof)).toEqual([
      { kind: "seen", step: 3, refused: null },
      { kind: "differs", step: 2 },
      { kind: "unseen" },
    ]);
    expect(read.unclaimed).toEqual([]);
  });

  test("has the message that answers it as its result", () => {
    const answer = { role: "tool", tool_call_id: "c1", content: "pending" };
    const stray = { role: "tool", tool_call_id: "c9", content: "of nothing" };
    const read = readTranscript([claiming(FLAT), answer, stray], []);
    expect(read.claims[0]?.result?.content).toBe("pending");
    expect(read.messages.map(({ content }) => content)).toEqual([null, "of nothing"]);
  });

  test("whose arguments are no JSON keeps them as they are", () => {
    const odd = { id: "c1", function: { name: "get_order", arguments: "{order" } };
    expect(readTranscript([claiming(odd)], []).claims[0]?.arguments).toBe("{order");
  });
});

test("calls that no message speaks of are unclaimed", () => {
  const events = [call(2, "get_order", {}), call(3, "list_orders", {})];
  const read = readTranscript([claiming({ id: "c1", name: "get_order", arguments: {} })], events);
  expect(read.unclaimed.map(({ sequence }) => sequence)).toEqual([3]);
});

test("what a message has beyond the contract is kept apart", () => {
  const [message] = readTranscript(
    [{ role: "user", content: "Hello.", agent_name: "a", mood: "good" }],
    [],
  ).messages;
  expect(message).toMatchObject({ role: "user", actor: "a", rest: { mood: "good" } });
});

test.each([
  [null, []],
  ["Hello.", [{ text: "Hello." }]],
  [
    [
      { type: "text", text: "Hello." },
      { type: "image", url: "x" },
    ],
    [{ text: "Hello." }, { other: { type: "image", url: "x" } }],
  ],
  [
    [{ type: "output_text", text: "a" }, { text: "b" }, "c"],
    [{ text: "a" }, { text: "b" }, { text: "c" }],
  ],
  [[{ type: "text", text: 7 }], [{ other: { type: "text", text: 7 } }]],
])("the parts of %j are text, or the JSON they are", (content, parts) => {
  expect(partsOf(content)).toEqual(parts);
});
