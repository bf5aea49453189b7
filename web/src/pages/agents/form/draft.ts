/** An agent as it stands in the form. What has no field of its own stays in `otherConfig`, so nothing is lost. */
import type { Schemas } from "~/api/client";
import type { Agent } from "~/api/queries";
import { isObject, type JsonObject } from "~/components/rules/json-text";
import { BLANK, type JsonText, jsonText, written } from "~/pages/agents/form/json-text";

export const DEFAULT_TIMEOUT_S = 300;
export const CONSISTENCY_MODES = ["off", "warn", "strict"] as const;
export type ConsistencyMode = (typeof CONSISTENCY_MODES)[number];
export const ENGINES = ["auto", "program", "world", "llm"] as const;
export type Engine = (typeof ENGINES)[number];

export const UNKNOWN_TOOLS = ["error", "empty"] as const;
export type UnknownTools = (typeof UNKNOWN_TOOLS)[number];
export const ASK_MODEL_ABOVE = 0.2;

const GUARD = { response_mode: "rich", strictness: "strict" };

export interface ToolDraft extends JsonText {
  key: number;
}

export interface SubAgentDraft {
  key: number;
  actorId: string;
  /** Undefined is not the same as none to the server: it is left out. */
  tools: string[] | undefined;
  talksTo: string[] | undefined;
}

export interface AgentDraft {
  name: string;
  description: string;
  mode: Agent["mode"];
  endpointUrl: string;
  authHeaderName: string;
  /** Undefined keeps what is saved, null removes it. */
  authHeaderValue: string | null | undefined;
  runTimeoutS: number | string;
  guarded: boolean;
  consistencyMode: ConsistencyMode;
  engine: Engine;
  /** By tool, where one goes by another engine than all. */
  engines: Record<string, string>;
  programs: JsonText;
  /** What a call gets that no engine understands. */
  unknownTools: UnknownTools;
  /** How often the world may be expected to be wrong before a model is asked; empty is the default. */
  askModelAbove: number | string;
  subAgents: SubAgentDraft[];
  /** The topology; null is none. */
  topology: (JsonObject & { entry: string }) | null;
  tools: ToolDraft[];
  ledgerSchema: JsonText;
  otherConfig: JsonText;
}

export type Registration = Pick<
  Agent,
  "name" | "description" | "mode" | "config" | "tools_schema" | "ledger_schema"
>;

let lastKey = 0;
const newKey = () => ++lastKey;

export const toolDraft = (value: unknown): ToolDraft => ({ key: newKey(), ...written(value) });
export const subAgentDraft = (): SubAgentDraft => ({
  key: newKey(),
  actorId: "",
  tools: undefined,
  talksTo: undefined,
});

export function draftOf(content: Registration): AgentDraft {
  return {
    name: content.name,
    description: content.description,
    mode: content.mode,
    ...configFields(content.config),
    tools: content.tools_schema.map(toolDraft),
    ledgerSchema: content.ledger_schema === null ? BLANK : written(content.ledger_schema),
  };
}

export const emptyDraft = (): AgentDraft =>
  draftOf({ name: "", description: "", mode: "http", config: {}, tools_schema: [], ledger_schema: null });

type ConfigFields = Omit<AgentDraft, "name" | "description" | "mode" | "tools" | "ledgerSchema">;

/** Spread a config over the fields; a member a field could not show goes to `otherConfig` as it is. */
export function configFields(config: JsonObject): ConfigFields {
  const rest: JsonObject = { ...config };
  function take<T>(member: string, fits: (value: unknown) => value is T): T | undefined {
    const value = rest[member];
    if (value === undefined || value === null || fits(value)) delete rest[member];
    return fits(value) ? value : undefined;
  }
  const subAgents = take("sub_agents", areSubAgents);
  const fields = {
    endpointUrl: take("endpoint_url", isText) ?? "",
    authHeaderName: take("auth_header_name", isText) ?? "",
    authHeaderValue: take("auth_header_value", isText),
    runTimeoutS: take("run_timeout_s", isNumber) ?? DEFAULT_TIMEOUT_S,
    guarded: take("response_contract", isGuard) !== undefined,
    consistencyMode: take("consistency_mode", isConsistencyMode) ?? "warn",
    engine: take("engine", isEngine) ?? "auto",
    engines: take("engines", areEngines) ?? {},
    programs: programsText(take("programs", isObject)),
    unknownTools: take("unknown_tools", isUnknownTools) ?? "error",
    askModelAbove: take("ask_model_above", isNumber) ?? ASK_MODEL_ABOVE,
    subAgents: (subAgents ?? []).map((row) => ({
      key: newKey(),
      actorId: row.actor_id,
      tools: row.tools,
      talksTo: row.talks_to,
    })),
    topology: take("topology", isTopology) ?? null,
  };
  return { ...fields, otherConfig: Object.keys(rest).length === 0 ? BLANK : written(rest) };
}

/** The config without its secret. */
export function configOf(draft: AgentDraft): JsonObject {
  const config: JsonObject = isObject(draft.otherConfig.value) ? { ...draft.otherConfig.value } : {};
  if (draft.mode === "http") {
    if (draft.endpointUrl !== "") config.endpoint_url = draft.endpointUrl.trim();
    if (draft.authHeaderName !== "") config.auth_header_name = draft.authHeaderName.trim();
  }
  if (draft.runTimeoutS !== "") config.run_timeout_s ??= draft.runTimeoutS;
  if (draft.guarded) config.response_contract = GUARD;
  config.consistency_mode ??= draft.consistencyMode;
  if (draft.engine !== "auto") config.engine ??= draft.engine;
  if (Object.keys(draft.engines).length > 0) config.engines ??= draft.engines;
  if (draft.programs.value !== undefined) config.programs ??= draft.programs.value;
  if (draft.unknownTools !== "error") config.unknown_tools ??= draft.unknownTools;
  if (draft.askModelAbove !== ASK_MODEL_ABOVE && draft.askModelAbove !== "") {
    config.ask_model_above ??= draft.askModelAbove;
  }
  if (draft.subAgents.length > 0) {
    config.sub_agents = draft.subAgents.map(({ actorId, tools, talksTo }) => ({
      actor_id: actorId,
      ...(tools && { tools }),
      ...(talksTo && { talks_to: talksTo }),
    }));
  }
  if (draft.topology !== null) config.topology = draft.topology;
  return config;
}

/** The whole registration; what cannot be read yet is null. */
export function registrationOf(draft: AgentDraft) {
  return {
    name: draft.name.trim(),
    description: draft.description,
    mode: draft.mode,
    config: configOf(draft),
    tools_schema: draft.tools.map((tool) => tool.value ?? null),
    ledger_schema: draft.ledgerSchema.value ?? null,
  };
}

/** The body that creates the agent. */
export function bodyOf(draft: AgentDraft): Schemas["AgentIn"] {
  const registration = registrationOf(draft);
  return { ...registration, config: { ...registration.config, ...secretOf(draft) } } as never;
}

/** The body that changes the agent: the server keeps omitted members of a config, so removed ones are null. */
export function changeOf(draft: AgentDraft, saved: Agent): Schemas["AgentChange"] {
  const registration = registrationOf(draft);
  const removed = Object.fromEntries(Object.keys(saved.config).map((member) => [member, null]));
  return { ...registration, config: { ...removed, ...registration.config, ...secretOf(draft) } } as never;
}

/** What a test of the connection needs of the config; the rest of the form may still be unfinished. */
export function connectionOf(draft: AgentDraft): JsonObject {
  return {
    endpoint_url: draft.endpointUrl.trim(),
    auth_header_name: draft.authHeaderName.trim() || null,
    ...secretOf(draft),
  };
}

function secretOf({ authHeaderValue }: AgentDraft): JsonObject {
  return authHeaderValue === undefined || authHeaderValue === ""
    ? {}
    : { auth_header_value: authHeaderValue };
}

export function withText<Draft extends JsonText>(draft: Draft, text: string): Draft {
  return { ...draft, ...jsonText(text) };
}

interface SubAgentRow {
  actor_id: string;
  tools: string[] | undefined;
  talks_to: string[] | undefined;
}

const isText = (value: unknown): value is string => typeof value === "string";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const isConsistencyMode = (value: unknown): value is ConsistencyMode =>
  CONSISTENCY_MODES.some((mode) => mode === value);
const isEngine = (value: unknown): value is Engine => ENGINES.some((engine) => engine === value);
const isUnknownTools = (value: unknown): value is UnknownTools =>
  UNKNOWN_TOOLS.some((each) => each === value);
const areEngines = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every(isText);
const programsText = (programs: JsonObject | undefined) =>
  programs === undefined || Object.keys(programs).length === 0 ? BLANK : written(programs);
const isTopology = (value: unknown): value is JsonObject & { entry: string } =>
  isObject(value) && isText(value.entry);

function isGuard(value: unknown): value is typeof GUARD {
  return (
    isObject(value) &&
    Object.keys(value).length === 2 &&
    value.response_mode === GUARD.response_mode &&
    value.strictness === GUARD.strictness
  );
}

function areSubAgents(value: unknown): value is SubAgentRow[] {
  return (
    Array.isArray(value) &&
    value.every(
      (row) =>
        isObject(row) &&
        isText(row.actor_id) &&
        (row.tools === undefined || isTexts(row.tools)) &&
        (row.talks_to === undefined || isTexts(row.talks_to)) &&
        Object.keys(row).every((member) => ["actor_id", "tools", "talks_to"].includes(member)),
    )
  );
}

/** The part of an agent or a version that is versioned. */
export function contentOf(source: Registration): Registration {
  const { name, description, mode, config, tools_schema, ledger_schema } = source;
  return { name, description, mode, config, tools_schema, ledger_schema };
}
