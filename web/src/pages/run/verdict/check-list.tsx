import { type Tone, ToneBadge } from "~/components/badges";
import { counted } from "~/components/counted";
import { Fold } from "~/components/fold";
import { LongText } from "~/components/json-view";
import { askedOf, type Check, checkName, worstFirst } from "~/pages/run/model/grades";
import { DecidingStep } from "~/pages/run/verdict/deciding-step";
import { Row } from "~/pages/run/verdict/row";
import classes from "~/pages/run/verdict/verdict.module.css";

const TONES: Record<Check["state"], Tone> = { passed: "green", failed: "red", error: "amber" };
const HELP: Partial<Record<Check["state"], string>> = {
  error: "The check itself broke, which says nothing about the agent",
};
const SHOWN_AT_FIRST = 6;

/** Every check with what became of it: what failed first, many that passed folded away. */
export function CheckList({ checks }: { checks: Check[] }) {
  if (checks.length === 0) return null;
  const ordered = worstFirst(checks);
  const bad = ordered.filter(({ state }) => state !== "passed").length;
  const shown = Math.max(SHOWN_AT_FIRST, Math.min(bad, SHOWN_AT_FIRST * 3));
  const rest = ordered.slice(shown);
  return (
    <section aria-label="Checks" className={classes.part}>
      <h3>
        <span>
          {counted(checks.length, "check")}
          <span className={classes.dim}>, {checks.length - bad} passed</span>
        </span>
      </h3>
      <ul className={classes.rows}>
        {ordered.slice(0, shown).map((check) => (
          <CheckRow key={check.index ?? "built-in"} check={check} />
        ))}
      </ul>
      {rest.length > 0 && (
        <Fold label={counted(rest.length, "more check")}>
          <ul className={classes.rows}>
            {rest.map((check) => (
              <CheckRow key={check.index ?? "built-in"} check={check} />
            ))}
          </ul>
        </Fold>
      )}
    </section>
  );
}

function CheckRow({ check }: { check: Check }) {
  const asked = askedOf(check);
  return (
    <Row
      mark={
        <ToneBadge tone={TONES[check.state]} help={HELP[check.state]}>
          {check.state}
        </ToneBadge>
      }
      title={
        <span className={classes.line}>
          {checkName(check)} <code className={classes.kind}>{check.kind}</code>{" "}
          <code className={classes.asked} title={asked}>
            {asked}
          </code>
        </span>
      }
    >
      <LongText text={check.reason} />{" "}
      {check.sequence !== null && <DecidingStep step={check.sequence}>step {check.sequence}</DecidingStep>}
    </Row>
  );
}
