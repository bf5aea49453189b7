import type { CompletionSource } from "@codemirror/autocomplete";
import { jsonCompletions } from "~/components/rules/completions";
import { OPERATORS } from "~/components/rules/model";
import type { ToolInfo } from "~/components/rules/tools";

const RESERVED = ["$calls", "$ledger", "$text"];
const OPERATOR_NAMES = OPERATORS.map(({ value }) => value).filter((name) => name !== "is");
const CHECKS: Record<string, readonly string[]> = {
  called: ["tool", "args", "count", "outcome"],
  not_called: ["tool", "args"],
  order: ["tools", "outcome"],
  ledger: [],
  only_changed: [],
  untouched: [],
  final_response: ["contains", "regex", "json_schema"],
  flag: [],
  no_flag: [],
  policy: ["before", "never"],
};

/** Reserved keys, checks, operators and tools, where the cursor stands in `expected_behavior`. */
export function expectedCompletions(tools: ToolInfo[]): CompletionSource {
  return jsonCompletions(
    ([top, index, check, ...below]) => {
      if (top === undefined) return RESERVED;
      if (!RESERVED.includes(String(top))) return OPERATOR_NAMES;
      if (index === undefined) return [];
      if (check === undefined) return Object.keys(CHECKS);
      return below.length === 0 ? (CHECKS[check] ?? []) : OPERATOR_NAMES;
    },
    ([top, , check, member]) => {
      const names = RESERVED.includes(String(top)) && (member === "tool" || check === "order");
      return names ? tools.map(({ name }) => name) : [];
    },
  );
}
