/** A failure rule (wire-contract.md#d3) as its form holds it: fields of text, so that half-written values have a place. */

export const OPERATORS = [
  { value: "is", label: "is" },
  { value: "$eq", label: "$eq" },
  { value: "$ne", label: "$ne" },
  { value: "$gt", label: "$gt" },
  { value: "$gte", label: "$gte" },
  { value: "$lt", label: "$lt" },
  { value: "$lte", label: "$lte" },
  { value: "$in", label: "$in" },
  { value: "$nin", label: "$nin" },
  { value: "$contains", label: "$contains" },
  { value: "$regex", label: "$regex" },
  { value: "$exists", label: "$exists" },
] as const;

export type Operator = (typeof OPERATORS)[number]["value"];

export const FAULTS = [
  { value: "timeout", label: "Time-out", help: "No answer until the client leaves, at most two minutes." },
  { value: "reset", label: "Reset", help: "The connection breaks: TCP RST." },
  { value: "empty", label: "Empty", help: "The connection is closed without a byte." },
  { value: "garbage", label: "Garbage", help: "Status 200, and bytes that are not JSON." },
] as const;

export const OUTCOMES = ["response", "error", "fault"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const MEMBERS = [
  "tool",
  "args",
  "call",
  "when",
  "probability",
  "times",
  "latency_ms",
  "ledger",
  ...OUTCOMES,
] as const;

export interface ArgumentRow {
  key: number;
  /** Names joined by dots: `address.city`. */
  path: string;
  operator: Operator;
  value: string;
}

export type CallKind = "any" | "nth" | "range" | "every";

export interface CallForm {
  kind: CallKind;
  nth: string;
  from: string;
  to: string;
  every: string;
}

export interface RuleForm {
  tools: string[];
  args: ArgumentRow[];
  call: CallForm;
  when: string;
  probability: string;
  times: string;
  latency_ms: string;
  ledger: string;
  outcome: Outcome;
  response: string;
  error: { code: string; message: string };
  fault: string;
}

/** One rule of the list. What the form cannot show is written as JSON. */
export interface RuleItem {
  key: number;
  open: boolean;
  content: { kind: "form"; form: RuleForm } | { kind: "json"; text: string };
}

export type RulesDraft = { mode: "form"; items: RuleItem[] } | { mode: "json"; text: string };

let lastKey = 0;
export const newKey = (): number => ++lastKey;
