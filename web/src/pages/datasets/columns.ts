/** The columns of a dataset's table, as the server knows them, and how each is written here. */
export interface Column {
  name: string;
  /** What a row sent as JSON calls it. */
  member: string;
  kind: "text" | "json" | "outcome" | "world" | "number";
  about: string;
  example?: string;
}

export const COLUMNS: readonly Column[] = [
  {
    name: "user",
    member: "user_instruction",
    kind: "text",
    about: "What the agent is asked to do. The only one every row needs.",
  },
  {
    name: "behavior",
    member: "behavior_instructions",
    kind: "text",
    about:
      'How tools act, one line each, such as: update_order only when order.status == "pending". The agent never sees it.',
  },
  {
    name: "state",
    member: "initial_state",
    kind: "json",
    about: "What the world holds at first: fields by type and id.",
    example: `{
  "order": {
    "ord_1": {"order_id": "ord_1", "status": "pending"}
  }
}`,
  },
  {
    name: "failure_rules",
    member: "failure_rules",
    kind: "json",
    about: "Tool calls that fail or get a fixed answer: a list, the first that matches answers.",
    example: `[
  {"tool": "update_order", "call": 1, "fault": "timeout"}
]`,
  },
  {
    name: "expected_outcome",
    member: "expected_outcome",
    kind: "outcome",
    about: "To be completed (the default), or to be refused: then nothing may change.",
  },
  {
    name: "input",
    member: "input",
    kind: "json",
    about: "An object the agent gets with the instruction.",
    example: `{"today": "2026-03-02"}`,
  },
  {
    name: "checks",
    member: "checks",
    kind: "json",
    about:
      "What must be true in the end, one key each: called, not_called, order, ledger, only_changed, untouched, final_response, flag, no_flag, policy.",
    example: `[
  {"called": {"tool": "update_order", "args": {"order_id": "ord_1"}}},
  {"ledger": {"$.order.ord_1.status": "cancelled"}},
  {"only_changed": ["$.order.ord_1"]},
  {"final_response": {"contains": "cancelled"}}
]`,
  },
  {
    name: "checks_version",
    member: "checks_version",
    kind: "number",
    about: "2: only calls that succeed count as done. Without it a call that failed counts as well.",
  },
  {
    name: "rubric",
    member: "rubric",
    kind: "json",
    about: "Questions to the judge. What no check can tell is asked here.",
    example: `[
  {"id": "polite", "question": "Is the answer friendly?", "answer": "scale"}
]`,
  },
  {
    name: "world",
    member: "world_id",
    kind: "world",
    about: "A named world, by name or id, instead of state, behavior and failure_rules.",
  },
  {
    name: "random_seed",
    member: "random_seed",
    kind: "number",
    about: "A whole number; without it every run draws its own.",
  },
];

const BEGUN_WITH = ["user", "state", "expected_outcome", "checks", "checks_version"];

/** A table to begin with, or the columns of one that is there. */
export function columnsShown(filled: readonly string[]): string[] {
  const wanted = filled.length === 0 ? BEGUN_WITH : ["user", ...filled];
  return COLUMNS.map(({ name }) => name).filter((name) => wanted.includes(name));
}

export function columnOf(name: string): Column | undefined {
  return COLUMNS.find((column) => column.name === name);
}

/** By its name, or by what JSON calls it. */
export function columnMeant(name: string): Column | undefined {
  return columnOf(name) ?? COLUMNS.find((column) => column.member === name);
}
