/** A request for runs while it is being written. */
import { writeJson } from "~/api/json";
import type { FieldError } from "~/api/problem";
import type { Run } from "~/api/queries";
import { draftText, formDraft, isEmpty, NO_RULES, readDraft, writtenRules } from "~/components/rules/draft";
import { isObject, readStrict, Unread, unreadIn } from "~/components/rules/json-text";
import type { RulesDraft } from "~/components/rules/model";

export const MOST_REPEATS = 100;

/** Playing the live tools from a cassette. */
export interface Replay {
  on: boolean;
  id: string | null;
  match: "strict" | "lenient";
  onMiss: "fail" | "capture";
}

export const NO_REPLAY: Replay = { on: false, id: null, match: "strict", onMiss: "fail" };

export interface NewRun {
  agentId: number | null;
  instruction: string;
  /** Where state, behaviour and rules come from: a world that is kept, or what is written here. */
  world: "stored" | "written";
  worldId: number | null;
  behavior: string;
  initialState: string;
  input: string;
  checks: string;
  /** Which meaning the checks have: that of the run it is made from. */
  checksVersion: number;
  rubric: string;
  refusal: boolean;
  randomSeed: string;
  repeat: number;
  rules: RulesDraft;
  replay: Replay;
}

export const BLANK: NewRun = {
  agentId: null,
  instruction: "",
  world: "written",
  worldId: null,
  behavior: "",
  initialState: "",
  input: "",
  checks: "",
  checksVersion: 2,
  rubric: "",
  refusal: false,
  randomSeed: "",
  repeat: 1,
  rules: NO_RULES,
  replay: NO_REPLAY,
};

export interface WrittenRun {
  /** What would be sent; parts that cannot be read are not in it. */
  body: {
    agent_id: number | null;
    seeds: Record<string, unknown>[];
    repeats?: number;
    cassette?: { id: string; match: string; on_miss: string };
  };
  /** What keeps it from being sent, by path inside a seed. */
  faults: FieldError[];
}

export function written(run: NewRun): WrittenRun {
  const world = run.world === "stored" ? storedWorld(run) : writtenWorld(run);
  const documents = {
    input: readStrict(run.input),
    checks: readStrict(run.checks),
    rubric: readStrict(run.rubric),
  };
  const seed = {
    user_instruction: run.instruction,
    ...world.members,
    ...readable(documents),
    ...(run.checksVersion === 1 && { checks_version: 1 }),
    ...(run.refusal && { expected_outcome: "refusal" }),
    ...(run.randomSeed.trim() !== "" && { random_seed: exactInteger(run.randomSeed.trim()) }),
  };
  return {
    body: {
      agent_id: run.agentId,
      seeds: [seed],
      ...(run.repeat > 1 && { repeats: run.repeat }),
      ...replayed(run.replay),
    },
    faults: [
      ...(isBlank(run) ? [{ loc: ["user_instruction"], msg: "write what the agent is asked to do" }] : []),
      ...world.faults,
      ...unreadIn(documents),
      ...(run.replay.on && run.replay.id === null ? [{ loc: ["cassette"], msg: "choose a cassette" }] : []),
    ],
  };
}

function replayed({ on, id, match, onMiss }: Replay): Pick<WrittenRun["body"], "cassette"> {
  return on && id !== null ? { cassette: { id, match, on_miss: onMiss } } : {};
}

interface WrittenWorld {
  members: Record<string, unknown>;
  faults: FieldError[];
}

function storedWorld({ worldId }: NewRun): WrittenWorld {
  if (worldId === null) return { members: {}, faults: [{ loc: ["world_id"], msg: "choose a world" }] };
  return { members: { world_id: worldId }, faults: [] };
}

function writtenWorld(run: NewRun): WrittenWorld {
  const state = { initial_state: readStrict(run.initialState) };
  const { rules, faults } = writtenRules(run.rules);
  return {
    members: {
      ...(run.behavior !== "" && { behavior_instructions: run.behavior }),
      ...readable(state),
      ...(!isEmpty(run.rules) && !(rules instanceof Unread) && { failure_rules: withoutUnread(rules) }),
    },
    faults: [
      ...unreadIn(state),
      ...faults.map((fault) => ({ ...fault, loc: ["failure_rules", ...fault.loc] })),
    ],
  };
}

function readable(documents: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(documents).filter(([, value]) => value !== undefined && !(value instanceof Unread)),
  );
}

/** One seed of it for the server to check: the rest is worth checking while the instruction is still blank. */
export function checkable(run: NewRun): WrittenRun["body"] {
  return written({ ...run, repeat: 1, instruction: isBlank(run) ? "…" : run.instruction }).body;
}

function isBlank({ instruction }: NewRun): boolean {
  return instruction.trim() === "";
}

/** A rule that cannot be read yet must not move the numbers of the others, nor hide what is wrong with them. */
function withoutUnread(rules: unknown): unknown {
  if (!Array.isArray(rules)) return rules;
  return rules.map((rule) => (unreadIn(rule).length > 0 ? { fault: "timeout" } : rule));
}

/** What is no integer goes as the text it is, for the server to refuse. */
function exactInteger(text: string): number | bigint | string {
  if (!/^[-+]?\d+$/.test(text)) return text;
  const exact = BigInt(text.replace("+", ""));
  const number = Number(exact);
  return Number.isSafeInteger(number) ? number : exact;
}

/** The same task again, to be changed. */
export function likeRun(run: Run): NewRun {
  const seed = run.odyssey_seed;
  return {
    ...BLANK,
    agentId: run.agent_id,
    instruction: String(seed.user_instruction ?? ""),
    world: typeof seed.world_id === "number" ? "stored" : "written",
    worldId: typeof seed.world_id === "number" ? seed.world_id : null,
    behavior: String(seed.behavior_instructions ?? ""),
    initialState: document(seed.initial_state),
    input: document(seed.input),
    checks: document(seed.checks),
    checksVersion: seed.checks_version === 2 ? 2 : 1,
    rubric: document(seed.rubric),
    refusal: seed.expected_outcome === "refusal",
    randomSeed: String(seed.random_seed ?? run.random_seed),
    rules: Array.isArray(seed.failure_rules) ? formDraft(seed.failure_rules) : NO_RULES,
    replay: run.cassette
      ? { on: true, id: run.cassette.id, match: run.cassette.match, onMiss: run.cassette.on_miss }
      : NO_REPLAY,
  };
}

function document(value: unknown): string {
  const empty = value == null || (typeof value === "object" && Object.keys(value).length === 0);
  return empty ? "" : writeJson(value);
}

export function stored(run: NewRun): string {
  return writeJson({ ...run, rules: { mode: run.rules.mode, text: draftText(run.rules) } }, 0);
}

/** Null when the text is not from `stored`. */
export function restored(text: string | null): NewRun | null {
  const value = text === null ? null : readStrict(text);
  if (!isObject(value) || !isObject(value.rules)) return null;
  const { mode, text: rules } = value.rules;
  return { ...BLANK, ...value, rules: readDraft(mode === "json" ? "json" : "form", String(rules)) };
}
