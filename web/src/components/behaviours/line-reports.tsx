import { Text, UnstyledButton } from "@mantine/core";
import type { BehaviourLine } from "~/api/behaviours";
import { writeJson } from "~/api/json";
import { ToneBadge } from "~/components/badges";
import classes from "~/components/behaviours/behaviours.module.css";
import { LEFT } from "~/components/behaviours/left";
import { behaviourInWords } from "~/components/behaviours/sentence";
import { countsOf, type Reading } from "~/components/behaviours/use-reading";
import { Copy } from "~/components/copy";
import { counted } from "~/components/counted";

const MOST_SHOWN = 12;
const SAID_BY_BADGE = new RegExp(`; ${LEFT.replace(/[()]/g, "\\$&")}$`);

/** How many lines were understood. */
export function ReadingStatus({ reading, id }: { reading: Reading; id: string }) {
  return (
    <Text size="xs" id={id} role="status" c="var(--ody-text-dim)" component="div">
      {statusOf(reading)}
    </Text>
  );
}

function statusOf({ mayAsk, lines, problem, checking }: Reading): string {
  const { understood, left } = countsOf(lines);
  if (!mayAsk) return "";
  if (problem) return "Not checked.";
  if (understood + left === 0) {
    return checking ? "Checking…" : "No lines: every tool acts as its name and schemas say.";
  }
  const counts = `${counted(understood, "line")} understood${left > 0 ? `, ${left} ${LEFT}` : ""}`;
  return checking ? `${counts} (checking…)` : `${counts}.`;
}

/** A line that was not understood. */
export interface Left {
  number: number;
  problem: string;
  hint: string | null;
}

export function leftOf(lines: BehaviourLine[]): Left[] {
  return lines.flatMap(({ number, problem, hint }) => (problem === null ? [] : [{ number, problem, hint }]));
}

interface LeftLinesProps {
  left: Left[];
  /** Absent where there is no editor to go to. */
  onShow?: (line: number) => void;
}

/** Lines that no engine but a model can follow, each with what is wrong and what would mend it. */
export function LeftLines({ left, onShow }: LeftLinesProps) {
  if (left.length === 0) return null;
  return (
    <ul className={classes.leftLines} aria-label="Lines left to the model">
      {left.slice(0, MOST_SHOWN).map((line) => (
        <li key={line.number}>
          {onShow ? (
            <UnstyledButton className={classes.place} onClick={() => onShow(line.number)}>
              Line {line.number}
            </UnstyledButton>
          ) : (
            <span className={classes.place}>Line {line.number}</span>
          )}
          <ToneBadge tone="amber" help={LEFT_HELP}>
            {LEFT}
          </ToneBadge>
          <span className={classes.problem}>
            {line.problem.replace(SAID_BY_BADGE, "")}
            {line.hint && <span className={classes.hint}>{line.hint}</span>}
          </span>
        </li>
      ))}
      {left.length > MOST_SHOWN && <li>and {left.length - MOST_SHOWN} more</li>}
    </ul>
  );
}

const LEFT_HELP =
  "Not understood as a rule. The simulator model is told this line; without a model nothing follows it, and answers of its tools are marked as unsure.";

/** The line that the cursor is in, if it is a rule: as a sentence and as the API has it. */
export function LineAtCursor({ line }: { line: BehaviourLine | undefined }) {
  if (!line || line.rule === null) return null;
  return (
    <section className={classes.atCursor} aria-label="The line at the cursor">
      <Text size="sm" className={classes.problem}>
        Line {line.number}: {behaviourInWords(line.rule)}
      </Text>
      <div className={classes.asRule}>
        <code>{writeJson(line.rule, 0)}</code>
        <Copy value={writeJson(line.rule)} what="the rule" />
      </div>
    </section>
  );
}
