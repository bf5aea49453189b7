/** Verdicts a run was given: how they read, and what differs from one to the next. */
import type { Schemas } from "~/api/client";
import { writeJson } from "~/api/json";
import { failureMode } from "~/components/failure-modes";
import { percent } from "~/components/share";
import { isRecord, listOf, type TraceEvent } from "~/pages/run/model/events";

export type Grade = Schemas["GradeOut"];
export type Check = Grade["checks"][number];
export type Claim = Grade["claims"][number];
export type Judge = NonNullable<Grade["judge"]>;
export type Answer = Judge["answers"][number];
export type WorldNote = Grade["world_notes"][number];

/** The grade that an event of the trace tells of. */
export function gradeOf(event: TraceEvent): Grade {
  const { checks, claims, judge, graders, world_notes: notes } = event.data;
  const told = {
    ...event.data,
    attempt: event.attempt,
    checks: listOf(checks),
    claims: listOf(claims),
    judge: isRecord(judge) ? judge : null,
    graders: isRecord(graders) ? graders : {},
    world_notes: listOf(notes),
    created_at: event.occurred_at,
  };
  return told as unknown as Grade;
}

const ORDER: Record<Check["state"], number> = { failed: 0, error: 1, passed: 2 };

/** What went wrong before what went well. */
export function worstFirst(checks: Check[]): Check[] {
  return checks.toSorted((a, b) => ORDER[a.state] - ORDER[b.state]);
}

/** "Check 2", as the reason calls it. */
export function checkName({ index }: Check): string {
  return index === null ? "Built in" : `Check ${index + 1}`;
}

/** What a check asks for, in one line. */
export function askedOf({ kind, check }: Check): string {
  if (check === null) return kind === "refusal" ? "no mutating call, ledger unchanged" : "";
  const asked = check[kind] ?? check;
  return typeof asked === "string" ? asked : writeJson(asked, 0);
}

/** "The transcript says update_order was called once; the proxy never saw it." */
export function claimInWords({ tool, claimed, observed }: Claim): string {
  const seen = observed === 0 ? "never saw it" : `saw it ${times(observed)}`;
  return `The transcript says ${tool} was called ${times(claimed)}; the proxy ${seen}.`;
}

const NOTED: Record<WorldNote["kind"], string> = {
  contradiction: "the answer contradicts the world",
  no_answer: "the world gave no answer",
  not_understood: "the call was not understood",
  guessed: "the world guessed",
};

/** "update_order: the answer contradicts the world. No order with id 'ord_9' exists." */
export function noteInWords({ tool, kind, message }: WorldNote): string {
  return `${tool}: ${NOTED[kind]}. ${message}`;
}

function times(count: number): string {
  if (count === 1) return "once";
  return count === 2 ? "twice" : `${count.toLocaleString("en")} times`;
}

export function gradedTimes(count: number): string {
  return `Graded ${times(count)}`;
}

/** Yes, no, "4 of 5", or the choice. */
export function answerInWords(answer: unknown): string {
  if (typeof answer === "boolean") return answer ? "yes" : "no";
  if (typeof answer === "number") return `${answer} of 5`;
  return typeof answer === "string" ? answer : writeJson(answer, 0);
}

/** One sentence per difference; none when the grades agree. */
export function differences(before: Grade, after: Grade): string[] {
  return [
    changed("verdict", before.verdict.toLowerCase(), after.verdict.toLowerCase()),
    changed("score", shareOf(before.score), shareOf(after.score)),
    changed("failure mode", inWords(before.failure_mode), inWords(after.failure_mode)),
    changed("attempt", before.attempt, after.attempt),
    ...checkDifferences(before.checks, after.checks),
    changed("unseen claims", before.claims.length, after.claims.length),
    changed("judge", before.judge?.state, after.judge?.state),
    changed("judge model", before.judge?.model, after.judge?.model),
    ...answerDifferences(before.judge?.answers ?? [], after.judge?.answers ?? []),
    ...Object.keys(after.graders).map((name) =>
      changed(`version of the ${name}`, before.graders[name], after.graders[name]),
    ),
  ].filter((sentence) => sentence !== null);
}

function changed(what: string, before: unknown, after: unknown): string | null {
  const [from, to] = [before ?? "none", after ?? "none"];
  return from === to ? null : `${what}: ${from} → ${to}`;
}

function inWords(mode: string | null): string | null {
  return mode === null ? null : failureMode(mode).words;
}

function shareOf(score: number | null): string | null {
  return score === null ? null : percent(score);
}

function checkDifferences(before: Check[], after: Check[]): (string | null)[] {
  const states = new Map(before.map((check) => [check.index, check.state]));
  return after.map((check) =>
    changed(`${checkName(check).toLowerCase()} (${check.kind})`, states.get(check.index), check.state),
  );
}

function answerDifferences(before: Answer[], after: Answer[]): (string | null)[] {
  if (before.length === 0 || after.length === 0) return [];
  const answers = new Map(before.map(({ id, answer }) => [id, answerInWords(answer)]));
  return after.map(({ id, answer }) => changed(`answer to ${id}`, answers.get(id), answerInWords(answer)));
}
