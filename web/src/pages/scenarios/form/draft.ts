/** A scenario as its form holds it: documents as text, so that half-written ones have a place. */
import { writeJson } from "~/api/json";
import type { FieldError } from "~/api/problem";
import type { RiskLevel, Scenario, ScenarioBody } from "~/api/scenarios";
import { isObject, readStrict, Unread } from "~/components/rules/json-text";

export interface Draft {
  name: string;
  description: string;
  risk_level: RiskLevel;
  user_instruction: string;
  input_context: string;
  expected_behavior: string;
  world_id: number | null;
  agent_id: number | null;
  tags: string[];
  /** Types of the ledger, and fields of types as `type.field`, that must not be touched. */
  protected: string[];
  /** Which meaning its checks have; a scenario keeps its own. */
  checks_version: 1 | 2;
}

export const BLANK: Draft = {
  name: "",
  description: "",
  risk_level: "medium",
  user_instruction: "",
  input_context: "",
  expected_behavior: "",
  world_id: null,
  agent_id: null,
  tags: [],
  protected: [],
  checks_version: 2,
};

export function draftOf(scenario: Scenario): Draft {
  const { name, description, risk_level, world_id, agent_id, tags, checks_version } = scenario;
  return {
    name,
    description,
    risk_level,
    user_instruction: scenario.user_instruction ?? "",
    input_context: textOf(scenario.input_context),
    expected_behavior: textOf(scenario.expected_behavior),
    world_id,
    agent_id,
    tags,
    protected: scenario.protected,
    checks_version,
  };
}

function textOf(document: Record<string, unknown>): string {
  return Object.keys(document).length === 0 ? "" : writeJson(document);
}

/** What is sent; a document that cannot be read stays away, and is among the faults. */
export function bodyOf(draft: Draft): ScenarioBody {
  return {
    ...draft,
    user_instruction: draft.user_instruction === "" ? null : draft.user_instruction,
    input_context: objectIn(draft.input_context) ?? {},
    expected_behavior: objectIn(draft.expected_behavior) ?? {},
  };
}

/** What is wrong before the server is asked. */
export function faultsOf(draft: Draft): FieldError[] {
  const faults: FieldError[] = [];
  if (draft.name.trim() === "") faults.push({ loc: ["name"], msg: "give it a name" });
  for (const field of ["input_context", "expected_behavior"] as const) {
    if (objectIn(draft[field]) !== null) continue;
    const msg =
      readStrict(draft[field]) instanceof Unread ? "This is not JSON yet." : "This must be an object.";
    faults.push({ loc: [field], msg });
  }
  return faults;
}

/** Nothing written is an empty object. */
export function objectIn(text: string): Record<string, unknown> | null {
  const value = readStrict(text) ?? {};
  return isObject(value) ? value : null;
}
