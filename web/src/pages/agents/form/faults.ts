/** What is wrong with a draft, by place: what can be seen here at once, and what the server says. */
import type { Schemas } from "~/api/client";
import type { FieldError } from "~/api/problem";
import type { Agent } from "~/api/queries";
import { isObject } from "~/components/rules/json-text";
import { type AgentDraft, bodyOf } from "~/pages/agents/form/draft";

const LONGEST_NAME = 255;
const STAND_IN_NAME = "-";

/** Members of a config that have a field of their own. */
const FIELDS = [
  "endpoint_url",
  "auth_header_name",
  "auth_header_value",
  "run_timeout_s",
  "response_contract",
  "consistency_mode",
  "engine",
  "engines",
  "programs",
  "unknown_tools",
  "ask_model_above",
  "sub_agents",
  "topology",
];

export function faultsHere(draft: AgentDraft, saved: Agent | null): FieldError[] {
  const found: FieldError[] = [];
  if (draft.name.trim() === "") found.push({ loc: ["name"], msg: "An agent needs a name." });
  if (draft.name.trim().length > LONGEST_NAME) {
    found.push({ loc: ["name"], msg: `A name has at most ${LONGEST_NAME} characters.` });
  }
  if (draft.mode === "http" && draft.endpointUrl.trim() === "" && !hasOther(draft, "endpoint_url")) {
    found.push({
      loc: ["config", "endpoint_url"],
      msg: "Odyssey needs the address at which it reaches the agent.",
    });
  }
  if (secretMustBeSentAgain(draft, saved)) {
    const msg =
      "The URL now names another scheme, host or port, and a saved value is never sent to another place. " +
      "Enter it again or remove it.";
    found.push({ loc: ["config", "auth_header_value"], msg });
  }
  draft.tools.forEach((tool, index) => {
    const msg = tool.text.trim() === "" ? "Empty: write the tool or remove it." : notJson(tool.broken);
    if (msg !== null) found.push({ loc: ["tools_schema", index], msg });
  });
  const ledger = notJson(draft.ledgerSchema.broken);
  if (ledger !== null) found.push({ loc: ["ledger_schema"], msg: ledger });
  const programs = notJson(draft.programs.broken);
  if (programs !== null) found.push({ loc: ["config", "programs"], msg: programs });
  const { text, value, broken } = draft.otherConfig;
  const other = notJson(broken) ?? (text.trim() === "" || isObject(value) ? null : "This must be an object.");
  if (other !== null) found.push({ loc: ["config"], msg: other });
  return found;
}

/** A body the server reads to its end even while parts of the draft are unfinished. */
export function bodyToCheck(draft: AgentDraft): Schemas["AgentIn"] {
  const body = bodyOf(draft);
  const usable = body.name !== "" && body.name.length <= LONGEST_NAME;
  return usable ? body : { ...body, name: STAND_IN_NAME };
}

/** Both kinds in page order; the server's word on what could not be read here is left out. */
export function allFaults(draft: AgentDraft, here: FieldError[], served: FieldError[]): FieldError[] {
  const unread = (fault: FieldError) =>
    here.some((mine) => mine.loc.every((part, i) => fault.loc[i] === part)) ||
    (draft.ledgerSchema.broken !== null && fault.loc[2] === "ledger_adapter");
  return [...here, ...served.filter((fault) => !unread(fault))];
}

/** Whether a fault is about a member of the config that stands in the document of other members. */
export function isOfOtherConfig(draft: AgentDraft, { loc: [top, member] }: FieldError): boolean {
  if (top !== "config") return false;
  return hasOther(draft, String(member)) || !FIELDS.includes(String(member));
}

function hasOther({ otherConfig: { value } }: AgentDraft, member: string): boolean {
  return isObject(value) && Object.hasOwn(value, member);
}

/** Moves a fault into the document that stands at its first parts. */
export const inside =
  (depth: number) =>
  (fault: FieldError): FieldError => ({ ...fault, loc: fault.loc.slice(depth) });

/** Faults of fields nobody has filled in yet: needed, but nothing is wrong. */
export function isStillNeeded(draft: AgentDraft, { loc }: FieldError): boolean {
  if (loc[0] === "name") return draft.name === "";
  return loc[0] === "config" && loc[1] === "endpoint_url" && draft.endpointUrl === "";
}

export function secretMustBeSentAgain(draft: AgentDraft, saved: Agent | null): boolean {
  const given = draft.authHeaderValue === null || (draft.authHeaderValue ?? "") !== "";
  if (saved === null || !saved.auth_header_set || given) return false;
  const before = originOf(saved.config.endpoint_url);
  const after = originOf(draft.endpointUrl);
  return before !== null && after !== null && before !== after;
}

function originOf(url: unknown): string | null {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).origin : null;
}

function notJson(broken: string | null): string | null {
  return broken === null ? null : `Not JSON yet: ${broken}`;
}
