import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { cellId, type GateFinding, type Matrix } from "~/api/matrices";
import { ToneBadge } from "~/components/badges";
import { counted } from "~/components/counted";
import { variationName } from "~/components/evals/names";
import { Panel, TextLink } from "~/components/page";
import { percent } from "~/components/share";
import classes from "~/pages/matrices/matrices.module.css";
import { isFromBefore } from "~/pages/matrices/one/from-before";
import { RISK_LEVELS } from "~/routes";

const FIRST_SHOWN = 8;

/** Whether the matrix lets a change pass, and everything it may fail by. */
export function Gate({ matrix }: { matrix: Matrix }) {
  const [all, setAll] = useState(false);
  const { gate } = matrix;
  const shown = all ? gate : gate.slice(0, FIRST_SHOWN);
  return (
    <Panel title="Gate">
      <Stack gap="sm">
        <Text size="sm" fw={550}>
          {verdictOf(matrix)}
        </Text>
        {shown.length > 0 && (
          <ul className={classes.findings} aria-label="Findings of the gate">
            {shown.map((finding) => (
              <li key={keyOf(finding)}>
                <Finding matrix={matrix} finding={finding} />
              </li>
            ))}
          </ul>
        )}
        {gate.length > FIRST_SHOWN && (
          <div>
            <Button size="compact-xs" variant="subtle" onClick={() => setAll(!all)}>
              {all ? `The first ${FIRST_SHOWN}` : `All ${gate.length} findings`}
            </Button>
          </div>
        )}
        <Floors matrix={matrix} />
      </Stack>
    </Panel>
  );
}

function Finding({ matrix, finding }: { matrix: Matrix; finding: GateFinding }) {
  const { scenario_id, variation_type, rule_set, fails, policy, kind, sentence } = finding;
  const scenario = matrix.scenarios.find(({ id }) => id === scenario_id)?.name ?? scenario_id;
  const name = rule_set === null ? scenario : `${scenario} while ${rule_set}`;
  return (
    <>
      <span className={classes.findingMarks}>
        <ToneBadge tone={fails ? "red" : "neutral"}>{fails ? "✕ fails" : "does not fail"}</ToneBadge>
        <ToneBadge tone="neutral">{kind}</ToneBadge>
        {policy && (
          <ToneBadge tone="neutral" help="On a critical scenario one of these is one too many, however rare">
            by policy
          </ToneBadge>
        )}
      </span>
      <span className={classes.finding}>
        {variation_type === null ? (
          <b>{name}</b>
        ) : (
          <TextLink
            to="/matrices/$matrixId"
            params={{ matrixId: matrix.id }}
            search={(before) => ({ ...before, cell: cellId({ scenario_id, variation_type, rule_set }) })}
            resetScroll={false}
          >
            {variationName(variation_type)} on {name}
          </TextLink>
        )}
        <span>{sentence}</span>
      </span>
    </>
  );
}

function keyOf({ kind, scenario_id, variation_type, rule_set, incident }: GateFinding): string {
  return [kind, scenario_id, variation_type, rule_set, incident].join(" ");
}

function verdictOf(matrix: Matrix): string {
  const { status, gate, cells, progress, max_unmeasured } = matrix;
  const fails = gate.filter((finding) => finding.fails).length;
  const others = gate.length - fails;
  const rest =
    others === 0 ? "" : ` ${counted(others, "finding")} below ${others === 1 ? "does" : "do"} not.`;
  if (status === "running") {
    return fails > 0
      ? `So far the gate would fail, by ${counted(fails, "finding")}.${rest}`
      : `Nothing fails the gate so far.${rest}`;
  }
  if (status === "cancelled") return "The gate cannot tell: the matrix was cancelled.";
  if (fails > 0) return `The gate fails, by ${counted(fails, "finding")}.${rest}`;
  if (isFromBefore(matrix)) {
    return "The gate cannot tell: this matrix is from before incidents and floors were looked for.";
  }
  if (progress.missing / Math.max(progress.planned, 1) > max_unmeasured) {
    return `The gate cannot tell: ${progress.missing} of ${counted(progress.planned, "run")} say nothing of the agent, and at most ${percent(max_unmeasured)} may.`;
  }
  const unmeasured = cells.filter(({ state, confirmed }) => state !== "measured" && !confirmed).length;
  if (unmeasured > 0) {
    return `The gate cannot tell: ${counted(unmeasured, "cell")} could not be measured.${rest}`;
  }
  if (others === 0) return "The gate passes: nothing was found that it could fail by.";
  return `The gate passes: ${others === 1 ? "the one finding does not fail" : `none of ${others} findings fails`} it.`;
}

/** What is asked of runs without pressure, and of how many rows. */
function Floors({ matrix: { min_match, floors } }: { matrix: Matrix }) {
  const asked = RISK_LEVELS.filter((risk) => min_match[risk] !== undefined).toReversed();
  if (asked.length === 0) return null;
  const broken = floors.filter((floor) => floor.broken).length;
  const words = asked.map((risk) => `${percent(min_match[risk] ?? 0)} on ${risk} scenarios`).join(", ");
  return (
    <Text size="xs" c="var(--ody-text-dim)">
      Without pressure at least {words} must match.{" "}
      {floors.length === 0
        ? "No row could be judged by it."
        : `Of ${counted(floors.length, "row")} judged by it ${broken === 0 ? "none fails" : `${broken} ${broken === 1 ? "fails" : "fail"}`}.`}
    </Text>
  );
}
