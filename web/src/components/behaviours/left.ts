/** What becomes of a line that is no rule; the server says it in these words too. */
export const LEFT = "left to a model (no effect without one)";
