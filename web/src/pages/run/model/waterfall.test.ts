import { describe, expect, test } from "vitest";
import type { TraceEvent } from "~/pages/run/model/events";
import {
  axisOf,
  buildSteps,
  filterSteps,
  NO_ACTOR,
  outsideOf,
  placeOf,
  type Step,
  ticksOf,
} from "~/pages/run/model/waterfall";

const BEGAN = Date.parse("2026-11-16T10:00:00Z");

/** Sequences count from 1, as they do in a trace. */
function trace(...told: [at: number, kind: TraceEvent["kind"], data: TraceEvent["data"], actor?: string][]) {
  return told.map(([at, kind, data, actor], index): TraceEvent => {
    const occurred_at = new Date(BEGAN + at).toISOString();
    return { sequence: index + 1, attempt: 1, kind, occurred_at, actor_id: actor ?? null, data };
  });
}

function at(steps: Step[], index: number): Step {
  const step = steps[index];
  if (step === undefined) throw new Error(`there is no step ${index}`);
  return step;
}

const CREW = trace(
  [0, "dispatch", { url: "http://agent.example" }],
  [
    10,
    "tool_call",
    { tool_name: "get_order", source: "odyssey", latency_ms: 20, arguments: { order_id: "ord_2" } },
    "a",
  ],
  [
    40,
    "trace_event",
    { event_type: "handoff", payload: { from: "a", to: "a/b", reason: "a cancellation" } },
    "a",
  ],
  [
    50,
    "tool_call",
    { tool_name: "update_order", source: "injected", latency_ms: 40, matched_rule_index: 0 },
    "a/b",
  ],
  [
    95,
    "tool_call",
    { tool_name: "create_order", http_status: 422, latency_ms: 0, body: '{"total": "many"}' },
  ],
  [100, "reply", { body: { final_response: "Order ord_2 is cancelled." } }],
);

describe("a step", () => {
  const steps = buildSteps(CREW);

  test("says what it is about in one line", () => {
    expect(steps.map(({ name, about }) => `${name}: ${about}`)).toEqual([
      "dispatch: http://agent.example",
      "get_order: order_id: ord_2",
      "handoff: a → a/b: a cancellation",
      "update_order: ",
      "create_order: total: many",
      "reply: Order ord_2 is cancelled.",
    ]);
  });

  test("has a source, a rule and a status where there are such", () => {
    expect(steps.map(({ source, rule, status }) => [source, rule, status])).toEqual([
      [null, null, null],
      ["odyssey", null, null],
      [null, null, null],
      ["injected", 0, null],
      ["error", null, 422],
      [null, null, null],
    ]);
  });

  test("lasts as long as its call, and a dispatch until the reply", () => {
    expect(steps.map(({ length }) => length)).toEqual([100, 20, null, 40, 0, null]);
  });

  test("is cut where its line would be too long", () => {
    const [step] = buildSteps(
      trace([0, "trace_event", { event_type: "note", payload: { text: "W".repeat(400) } }]),
    );
    expect(step?.about).toHaveLength(160);
  });

  test("stands for all the refusals it counts", () => {
    const [step] = buildSteps(trace([0, "tool_call", { http_status: 429, code: "rate_limited", count: 12 }]));
    expect(step?.about).toBe("12 × rate_limited");
  });
});

describe("a bar", () => {
  const steps = buildSteps(CREW);
  const axis = axisOf(steps, null);

  test("begins and ends where the call did", () => {
    expect(axis).toEqual({ began: BEGAN, span: 100 });
    expect(
      steps.map((step) => placeOf(step, axis)).map(({ left, width }) => [left, +width.toFixed(6)]),
    ).toEqual([
      [0, 1],
      [0.1, 0.2],
      [0.4, 0],
      [0.5, 0.4],
      [0.95, 0],
      [1, 0],
    ]);
  });

  test("of a call that says when it began and ended stands there, whenever it was written down", () => {
    const moment = (at: number) => new Date(BEGAN + at).toISOString();
    const called = (from: number, to: number) => ({
      tool_name: "get_order",
      latency_ms: to - from,
      started_at: moment(from),
      ended_at: moment(to),
    });
    const sequential = buildSteps(
      trace(
        [0, "dispatch", {}],
        [39, "tool_call", called(10, 40)],
        [90, "tool_call", called(40, 90)],
        [100, "reply", {}],
      ),
    );
    expect(
      sequential
        .slice(1, 3)
        .map((step) => placeOf(step, axis))
        .map(({ left, width }) => [left, +width.toFixed(6)]),
    ).toEqual([
      [0.1, 0.3],
      [0.4, 0.5],
    ]);
  });

  test("of a dispatch without a reply is open to the end", () => {
    const running = buildSteps(CREW.slice(0, -1), true);
    const until = axisOf(running, BEGAN + 1_000);
    expect(until.span).toBe(1_000);
    expect(placeOf(at(running, 0), until)).toEqual({ left: 0, width: 1 });
  });

  test("of an event that states another time stays within the axis and says so", () => {
    const odd = buildSteps([
      ...CREW,
      ...trace([-5_000, "trace_event", { event_type: "early" }], [9_000, "grade", { reason: "late" }]),
    ]);
    const [early, late] = [at(odd, 6), at(odd, 7)];
    expect(axisOf(odd, null)).toEqual(axis);
    expect([outsideOf(early, axis), outsideOf(late, axis), outsideOf(at(odd, 1), axis)]).toEqual([
      "before",
      "after",
      null,
    ]);
    expect([placeOf(early, axis).left, placeOf(late, axis).left]).toEqual([0, 1]);
  });

  test("of nothing has an axis all the same", () => {
    expect(axisOf([], null)).toEqual({ began: 0, span: 1 });
  });
});

describe("a call that went out", () => {
  const sent = trace([0, "forward", { tool_name: "get_order", endpoint: { name: "orders-api" } }]);
  const answered = [
    ...sent,
    ...trace([0, "dispatch", {}], [5, "tool_call", { source: "passthrough", forward: 1 }]).slice(1),
  ];

  test.each([
    ["is waited for while the run goes on", sent, true, { state: "waiting" }],
    ["has no known outcome once the run has ended", sent, false, { state: "unknown" }],
    ["leads to its answer", answered, false, { state: "answered", step: 2 }],
  ])("%s", (_what, events, going, state) => {
    const [step] = buildSteps(events, going);
    expect(step).toMatchObject({ name: "get_order", about: "to orders-api", sent: state });
  });
});

test.each([
  [{}, [1, 2, 3, 4, 5, 6]],
  [{ source: ["injected" as const] }, [4]],
  [{ source: ["injected" as const, "error" as const] }, [4, 5]],
  [{ actor: "a/b" }, [4]],
  [{ actor: NO_ACTOR }, [1, 5, 6]],
  [{ q: "get_order" }, [2]],
  [{ q: "ORD_2 reply" }, [6]],
  [{ q: "  " }, [1, 2, 3, 4, 5, 6]],
  [{ q: "ord_2", actor: "a" }, [2]],
  [{ q: "telescope" }, []],
])("steps by %j are %j", (filter, sequences) => {
  expect(filterSteps(buildSteps(CREW), filter).map(({ sequence }) => sequence)).toEqual(sequences);
});

test.each([
  [0, 100, 5, [0, 20, 40, 60, 80, 100]],
  [7, 10, 2, [10, 15]],
  [0, 3, 10, [0, 1, 2, 3]],
  [0, 60_000, 4, [0, 15_000, 30_000, 45_000, 60_000]],
  [0, 7_200_000, 3, [0, 3_600_000, 7_200_000]],
])("ticks from %d over %d are round moments", (from, span, most, ticks) => {
  expect(ticksOf(from, span, most)).toEqual(ticks);
});
