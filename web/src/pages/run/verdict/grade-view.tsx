import { IconAlertTriangle } from "@tabler/icons-react";
import { LongText } from "~/components/json-view";
import { claimInWords, type Grade } from "~/pages/run/model/grades";
import { CheckList } from "~/pages/run/verdict/check-list";
import { JudgeReport } from "~/pages/run/verdict/judge-report";
import classes from "~/pages/run/verdict/verdict.module.css";
import type { RunView } from "~/pages/run/view";

/** One grade in full: its reason, and what each grader found. */
export function GradeView({ grade, view }: { grade: Grade; view: RunView }) {
  return (
    <>
      <p className={classes.reason}>
        <LongText text={grade.reason} />
      </p>
      {grade.claims.length > 0 && (
        <ul className={classes.claims} aria-label="Claims the proxy did not see">
          {grade.claims.map((claim) => (
            <li key={claim.tool}>
              <IconAlertTriangle size={15} aria-hidden />
              <span>{claimInWords(claim)}</span>
            </li>
          ))}
        </ul>
      )}
      <CheckList checks={grade.checks} />
      {grade.judge && <JudgeReport judge={grade.judge} told={grade.reason} view={view} />}
    </>
  );
}
