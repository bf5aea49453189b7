import { Loader, Paper, Text } from "@mantine/core";
import { type CSSProperties, memo, type ReactNode } from "react";
import { type Tone, toneColor, VerdictBadge } from "~/components/badges";
import { counted } from "~/components/counted";
import { failureMode } from "~/components/failure-modes";
import { percent } from "~/components/share";
import { Elapsed } from "~/components/time";
import type { Grade } from "~/pages/run/model/grades";
import { EarlierGrades } from "~/pages/run/verdict/earlier-grades";
import { GradeAgain } from "~/pages/run/verdict/grade-again";
import { GradeView } from "~/pages/run/verdict/grade-view";
import classes from "~/pages/run/verdict/verdict.module.css";
import { Ungraded, WhatToAdd } from "~/pages/run/verdict/what-to-add";
import type { RunView } from "~/pages/run/view";

const TONES: Record<string, Tone> = { PASS: "green", FAIL: "red", PENDING: "live" };

/** How well the run went, by whom that was decided, and on which step. */
export const VerdictCard = memo(function VerdictCard({ view }: { view: RunView }) {
  const { run, running, grading } = view;
  const grade = run.grades.at(-1);
  const tone = TONES[running ? "" : run.verdict] ?? "neutral";
  return (
    <Paper
      withBorder
      component="section"
      aria-label="Verdict"
      className={classes.card}
      style={{ "--verdict": toneColor(tone) } as CSSProperties}
    >
      <header className={classes.head}>
        <h2>Verdict</h2>
        <VerdictBadge verdict={run.verdict} running={running} />
        {grade && !grading && <Figures grade={grade} />}
        <div className={classes.tools}>
          <GradeAgain view={view} />
        </div>
      </header>
      <div className={classes.body}>
        {running && <Text size="sm">{awaited(view)}</Text>}
        {grading && <Progress view={view} />}
        {grade && (
          <div className={classes.grade} data-stale={grading || undefined} aria-busy={grading}>
            <GradeView grade={grade} view={view} />
            {grade.verdict === "NOT APPLICABLE" && <WhatToAdd view={view} mode={grade.failure_mode} />}
          </div>
        )}
        {!grade && !running && !grading && <Ungraded view={view} />}
        <EarlierGrades grades={run.grades} />
      </div>
    </Paper>
  );
});

function Figures({ grade: { score, failure_mode: mode } }: { grade: Grade }) {
  return (
    <>
      {score !== null && (
        <Figure what="score" help="The share of checks that hold and the rubric's score, on average">
          {percent(score)}
        </Figure>
      )}
      {mode !== null && (
        <Text span size="sm" fw={560} title={failureMode(mode).means}>
          {failureMode(mode).words}
        </Text>
      )}
    </>
  );
}

function Figure({ what, help, children }: { what: string; help: string; children: ReactNode }) {
  return (
    <span className={classes.figure} title={help}>
      <span>{what}</span> <b>{children}</b>
    </span>
  );
}

function awaited({ run: { verdict, odyssey_seed: seed } }: RunView): string {
  if (verdict !== "PENDING") return "There is nothing to grade it by, so it will get no verdict.";
  const parts = [
    membersOf(seed.checks, "check"),
    membersOf(seed.rubric, "question"),
    seed.expected_outcome === "refusal" ? "the refusal it should be" : null,
  ].filter((part) => part !== null);
  const by = parts.length > 0 ? ` by ${parts.join(", ")}` : "";
  return `It is graded${by} when it has ended.`;
}

function membersOf(list: unknown, what: string): string | null {
  return Array.isArray(list) && list.length > 0 ? counted(list.length, what) : null;
}

function Progress({ view: { run } }: { view: RunView }) {
  return (
    <div className={classes.progress} role="status">
      <Loader size={14} aria-hidden />
      <span>
        Being graded: the checks first, then the judge.
        {run.grades.length > 0 && " What is below is the last verdict."}
      </span>
      {run.grades.length === 0 && run.finished_at !== null && (
        <span className={classes.dim} aria-hidden>
          <Elapsed from={run.finished_at} to={null} />
        </span>
      )}
    </div>
  );
}
