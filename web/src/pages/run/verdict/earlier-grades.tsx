import { VerdictBadge } from "~/components/badges";
import { Fold } from "~/components/fold";
import { LongText } from "~/components/json-view";
import { Moment } from "~/components/time";
import { differences, type Grade, gradedTimes } from "~/pages/run/model/grades";
import classes from "~/pages/run/verdict/verdict.module.css";

/** Every verdict the run was given, newest first, and what each changed. */
export function EarlierGrades({ grades }: { grades: Grade[] }) {
  if (grades.length < 2) return null;
  return (
    <Fold label={gradedTimes(grades.length)}>
      <ol className={classes.history} aria-label="Verdicts it was given, newest first" reversed>
        {grades.toReversed().map((grade) => (
          <li key={grade.number}>
            <div className={classes.historyHead}>
              <span className={classes.dim}>{grade.number}.</span>
              <VerdictBadge verdict={grade.verdict} />
              <span className={classes.dim}>
                <Moment at={grade.created_at} />
              </span>
            </div>
            <Changes before={grades.find(({ number }) => number === grade.number - 1)} after={grade} />
          </li>
        ))}
      </ol>
    </Fold>
  );
}

function Changes({ before, after }: { before: Grade | undefined; after: Grade }) {
  if (before === undefined) {
    return (
      <p className={classes.said}>
        <LongText text={after.reason} />
      </p>
    );
  }
  const found = differences(before, after);
  if (found.length === 0) return <p className={classes.said}>Nothing changed.</p>;
  return (
    <ul className={classes.changes}>
      {found.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}
