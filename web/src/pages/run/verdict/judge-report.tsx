import { type Tone, ToneBadge } from "~/components/badges";
import { Fold } from "~/components/fold";
import { LongText } from "~/components/json-view";
import { money } from "~/components/money";
import { PlainText } from "~/components/section";
import { percent } from "~/components/share";
import { isRefused, type TraceEvent } from "~/pages/run/model/events";
import { type Answer, answerInWords, type Judge } from "~/pages/run/model/grades";
import { Row } from "~/pages/run/verdict/row";
import classes from "~/pages/run/verdict/verdict.module.css";
import type { RunView } from "~/pages/run/view";

interface JudgeReportProps {
  judge: Judge;
  /** The reason of the grade; what it says already is not said again. */
  told: string;
  view: RunView;
}

/** What the judge answered to each question, and what asking it cost. */
export function JudgeReport({ judge, told, view }: JudgeReportProps) {
  const isTold = told.includes(judge.reason.replace(/\.$/, ""));
  return (
    <section aria-label="Judge" className={classes.part}>
      <h3>
        Judge <State judge={judge} />
        {judge.score !== null && <span className={classes.dim}>rubric score {percent(judge.score)}</span>}
      </h3>
      {!isTold && (
        <p className={classes.said}>
          <LongText text={judge.reason} />
        </p>
      )}
      {judge.answers.length > 0 && (
        <ul className={classes.rows} aria-label="Answers to the rubric">
          {judge.answers.map((answer) => (
            <AnswerRow key={answer.id} answer={answer} />
          ))}
        </ul>
      )}
      <ClaimedActions tools={judge.claimed_actions} events={view.events} />
      <Facts judge={judge} />
      {judge.raw_answer !== null && (
        <Fold label="Raw answer of the model">
          <PlainText text={judge.raw_answer} label="raw answer of the judge" />
        </Fold>
      )}
    </section>
  );
}

const STATES: Record<Judge["state"], [Tone, string]> = {
  answered: ["neutral", "answered"],
  skipped: ["neutral", "not asked"],
  failed: ["amber", "failed"],
};

function State({ judge: { state, passed } }: { judge: Judge }) {
  const [tone, words] =
    state === "answered" && passed !== null
      ? ([passed ? "green" : "red", passed ? "passed" : "not passed"] as const)
      : STATES[state];
  return <ToneBadge tone={tone}>{words}</ToneBadge>;
}

function AnswerRow({ answer: { id, question, answer, passed, score, reason } }: { answer: Answer }) {
  return (
    <Row
      mark={<ToneBadge tone={passed ? "green" : "red"}>{passed ? "passed" : "not passed"}</ToneBadge>}
      title={
        <>
          <code className={classes.kind}>{id}</code> {question} <b>{answerInWords(answer)}</b>{" "}
          <span className={classes.dim}>{percent(score)}</span>
        </>
      }
    >
      <LongText text={reason} />
    </Row>
  );
}

/** What the final response says was done, beside whether any call of it was accepted. */
function ClaimedActions({ tools, events }: { tools: string[]; events: TraceEvent[] }) {
  if (tools.length === 0) return null;
  const accepted = new Set(
    events
      .filter((event) => event.kind === "tool_call" && !isRefused(event))
      .map((event) => event.data.tool_name),
  );
  return (
    <p className={classes.said}>
      The final response claims the work of{" "}
      {tools.map((tool, index) => (
        <span key={tool}>
          {index > 0 && ", "}
          <code className={classes.kind}>{tool}</code>
          {!accepted.has(tool) && <b> (no call of it was accepted)</b>}
        </span>
      ))}
      .
    </p>
  );
}

function Facts({ judge }: { judge: Judge }) {
  if (judge.model === null) return null;
  const tokens = (count: number) => count.toLocaleString("en");
  return (
    <dl className={classes.facts}>
      <Fact name="Model">
        {judge.model} <span className={classes.dim}>({judge.provider})</span>
      </Fact>
      <Fact name="Tokens">
        {tokens(judge.input_tokens)} in, {tokens(judge.output_tokens)} out
      </Fact>
      <Fact name="Cost">{money(judge.cost_usd)}</Fact>
      <Fact name="Judge version">{judge.version}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
