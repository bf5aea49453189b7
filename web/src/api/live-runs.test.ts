import { afterEach, expect, test, vi } from "vitest";
import { type LiveState, listenToRuns } from "~/api/live-runs";

class Page {
  states: LiveState[] = [];
  read = 0;
  runs: unknown[] = [];
  listener = {
    onRuns: (runs: unknown[]) => void this.runs.push(...runs),
    onOpen: () => void this.read++,
    onState: (state: LiveState) => void this.states.push(state),
  };
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("several parts of a page share one stream, which closes with the last of them", async () => {
  const opened: AbortSignal[] = [];
  let say = (_: string) => {};
  vi.stubGlobal("fetch", (_path: string, { signal }: RequestInit) => {
    if (signal) opened.push(signal);
    const body = new ReadableStream({
      start: (stream) => {
        say = (text) => stream.enqueue(new TextEncoder().encode(text));
        signal?.addEventListener("abort", () => stream.error(new DOMException("", "AbortError")));
      },
    });
    return Promise.resolve(new Response(body));
  });
  const [first, second] = [new Page(), new Page()];
  const leaveFirst = listenToRuns(first.listener);
  await vi.waitFor(() => expect(first.states).toEqual(["live"]));
  const leaveSecond = listenToRuns(second.listener);
  expect([second.states, first.read, second.read]).toEqual([["live"], 1, 1]);
  say('event: run\ndata: {"id":7}\n\n');
  await vi.waitFor(() => expect(second.runs).toHaveLength(1));
  expect(first.runs).toEqual(second.runs);
  leaveFirst();
  await new Promise((resolve) => setTimeout(resolve));
  expect(opened.map(({ aborted }) => aborted)).toEqual([false]);
  leaveSecond();
  await vi.waitFor(() => expect(opened.map(({ aborted }) => aborted)).toEqual([true]));
});

test("a refused stream is asked for again when the server says, and lists are read meanwhile", async () => {
  vi.useFakeTimers();
  const asked: number[] = [];
  vi.stubGlobal("fetch", () => {
    asked.push(Date.now());
    const body = JSON.stringify({
      status: 429,
      code: "too_many_streams",
      title: "Full",
      detail: "Close one.",
    });
    return Promise.resolve(new Response(body, { status: 429, headers: { "Retry-After": "30" } }));
  });
  const page = new Page();
  const leave = listenToRuns(page.listener);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(asked.map((at) => at - (asked[0] ?? 0))).toEqual([0, 30_000, 60_000]);
  expect([page.read, page.states]).toEqual([3, ["full", "full", "full"]]);
  leave();
  await vi.advanceTimersByTimeAsync(1);
});
