/** What the agent met on the wire instead of an answer. */
export const FAULTS: Record<string, string> = {
  timeout: "No answer: the connection stayed silent until the agent left, at most 120 s.",
  reset: "No answer: the connection was reset.",
  empty: "No answer: the connection was closed without a byte.",
  garbage: "HTTP 200 with bytes that are not JSON.",
};
