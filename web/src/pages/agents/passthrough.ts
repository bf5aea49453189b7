/** Who answers the calls of a tool: what the two modes are for, and how a tool is changed from one to the other. */
import type { Mode } from "~/components/mode-badge";
import { isObject, type JsonObject } from "~/components/rules/json-text";

export const POLICY_NAMES = ["record_only", "adapter", "none"] as const;
export type Policy = (typeof POLICY_NAMES)[number];

export const POLICIES: Record<string, string> = {
  record_only: "The live result shows in the trace, and does not change the ledger.",
  adapter: "The live result is mirrored into the ledger by the adapter, so that simulated tools see it.",
  none: "Nothing is written to the ledger.",
};

/** What to choose for which tool. */
export const CHOICES: [tool: string, mode: Mode, why: string][] = [
  ["A read-only API of others: an encyclopedia, the weather, a web search", "passthrough", ""],
  ["Changes state your agent owns: writes, refunds, marks", "sandbox", ""],
  ["Keeps state that simulated tools read later", "sandbox", "the simulator needs to own that state"],
  ["Moves real money", "sandbox", "unless the endpoint is a clone that is not production"],
];

export const ADAPTER_EXAMPLE = {
  op: "update",
  entity_type: "order",
  id_from: "$.order_id",
  field_map: { status: "$.status" },
};

/** The members that only a passthrough tool may have. */
const LIVE_ONLY = ["ledger_write_policy", "ledger_adapter"];

/** The same tool answered by the other; a sandbox tool keeps its binding for the day it is switched over. */
export function inMode(tool: JsonObject, mode: Mode): JsonObject {
  if (mode === "passthrough") return { ...tool, default_execution_mode: mode };
  const kept = Object.entries(tool).filter(([member]) => !LIVE_ONLY.includes(member));
  return { ...Object.fromEntries(kept), default_execution_mode: mode };
}

/** What `inMode` leaves out of a tool that goes back to the sandbox. */
export function liveOnly(tool: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(tool).filter(([member, value]) => LIVE_ONLY.includes(member) && value != null),
  );
}

export interface Binding {
  /** A UUID or a name, as it is written. */
  endpoint: string;
  tool: string;
}

export function bindingOf(binding: unknown): Binding {
  const members = isObject(binding) ? binding : {};
  return {
    endpoint: String(members.endpoint_id ?? members.endpoint_name ?? ""),
    tool: typeof members.tool_name === "string" ? members.tool_name : "",
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function writtenBinding({ endpoint, tool }: Binding): JsonObject {
  const which = UUID.test(endpoint) ? { endpoint_id: endpoint } : { endpoint_name: endpoint };
  return { ...which, tool_name: tool };
}
