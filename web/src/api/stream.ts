import { readJson } from "~/api/json";
import { Problem } from "~/api/problem";
import { sessionLost } from "~/api/session";

export interface ServerEvent {
  event: string;
  id: string | null;
  data: unknown;
}

/** `full`: the person has too many streams open. It is said at each try, which is when to read instead. */
export type StreamState = "open" | "waiting" | "full";

interface Listening {
  onEvents: (events: ServerEvent[]) => void;
  onState?: (state: StreamState) => void;
  /** The id of an event that is known already: only what came later is told. */
  after?: string | null;
  signal: AbortSignal;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
const FULL_WAIT_MS = 30_000;

/**
 * Follows a stream of server-sent events until it says `end` or the signal aborts, resuming after each break
 * where it was. `EventSource` cannot tell a 401 from a network fault, so this reads the stream itself.
 */
export async function follow(
  path: string,
  { onEvents, onState, after = null, signal }: Listening,
): Promise<void> {
  let lastId = after;
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = lastId === null ? {} : { "Last-Event-ID": lastId };
      const response = await fetch(path, { headers, signal, cache: "no-store" });
      if (!response.ok || response.body === null) throw await Problem.from(response);
      onState?.("open");
      wait = FIRST_WAIT_MS;
      for await (const events of eventsOf(response.body)) {
        lastId = events.findLast((event) => event.id !== null)?.id ?? lastId;
        onEvents(events);
        if (events.some((event) => event.event === "end")) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status >= 400 && error.status < 500) {
        if (error.status === 401) sessionLost();
        if (error.status !== 429) return;
        onState?.("full");
        await pause(error.retryAfter === null ? FULL_WAIT_MS : error.retryAfter * 1000, signal);
        continue;
      }
    }
    onState?.("waiting");
    await pause(wait * (0.75 + Math.random() / 2), signal);
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
}

/** All events of one chunk come together, so that a long trace is not drawn event by event. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent[]> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as never)
    .getReader() as ReadableStreamDefaultReader<string>;
  let rest = "";
  try {
    while (true) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      const events = blocks.map(parseEvent).filter((event) => event !== null);
      if (events.length > 0) yield events;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function parseEvent(block: string): ServerEvent | null {
  let event = "message";
  let id: string | null = null;
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) event = line.slice(7);
    else if (line.startsWith("id: ")) id = line.slice(4);
    else if (line.startsWith("data: ")) data.push(line.slice(6));
  }
  return data.length === 0 ? null : { event, id, data: readJson(data.join("\n")) };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
