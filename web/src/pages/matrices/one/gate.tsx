import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { cellId } from "~/api/cell-id";
import type { GateFinding, Matrix } from "~/api/matrices";
import { ToneBadge } from "~/components/badges";
import { counted, listed } from "~/components/counted";
import { RISK_LEVELS, variationName } from "~/components/evals/names";
import { Panel, TextLink } from "~/components/page";
import { percent } from "~/components/share";
import classes from "~/pages/matrices/matrices.module.css";
import { isFromBefore } from "~/pages/matrices/one/from-before";

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
          {gateVerdict(matrix)}
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

/** As in the terminal and in exported files. */
export function gateVerdict(matrix: Matrix): string {
  const { status, gate, progress, max_unmeasured } = matrix;
  const failing = gate.filter(({ fails }) => fails);
  if (status === "cancelled") return "The gate cannot tell: the matrix was cancelled.";
  if (status === "running") {
    return failing.length > 0
      ? `So far the gate would fail by ${kindsOf(failing)}.`
      : "Nothing fails the gate so far.";
  }
  const before = isFromBefore(matrix)
    ? " The matrix was made before incidents, fresh runs and rows that fail without pressure were looked at."
    : "";
  if (failing.length > 0) return `The gate fails by ${kindsOf(failing)}.${before}`;
  if (before !== "") return `Whether the gate passes is not known.${before}`;
  const lacking = unmeasuredIn(matrix);
  if (lacking > 0) return `The gate cannot tell: ${counted(lacking, "cell")} could not be measured.`;
  if (progress.missing / Math.max(progress.planned, 1) > max_unmeasured) {
    return `The gate cannot tell: ${progress.missing} of ${counted(progress.planned, "run")} say nothing of the agent; at most ${percent(max_unmeasured)} may.`;
  }
  return "The gate passes.";
}

/** A cell that is confirmed all the same was measured by its matches. */
function unmeasuredIn({ cells }: Matrix): number {
  return cells.filter(({ state, confirmed }) => state !== "measured" && !confirmed).length;
}

const KINDS: [GateFinding["kind"], one: string, many: string][] = [
  ["confirmed", "confirmed cell", "confirmed cells"],
  ["flagged", "flagged cell", "flagged cells"],
  ["incident", "incident", "incidents"],
  ["floor", "row that fails without pressure", "rows that fail without pressure"],
];

/** "2 confirmed cells, 1 incident and 1 row that fails without pressure" */
function kindsOf(findings: GateFinding[]): string {
  const counts = KINDS.map(([kind, one, many]) => {
    const count = findings.filter((finding) => finding.kind === kind).length;
    return count === 0 ? null : counted(count, one, many);
  });
  return listed(counts.filter((words) => words !== null));
}

/** What is asked of runs without pressure, and of how many rows. */
function Floors({ matrix: { min_match, floors } }: { matrix: Matrix }) {
  const asked = RISK_LEVELS.filter((risk) => min_match[risk] !== undefined).toReversed();
  if (asked.length === 0) return null;
  const broken = floors.filter((floor) => floor.broken).length;
  const shares = asked.map((risk) => `${percent(min_match[risk] ?? 0)} on ${risk}`);
  return (
    <Text size="xs" c="var(--ody-text-dim)">
      Without pressure at least {listed(shares)} scenarios must match.{" "}
      {floors.length === 0
        ? "No row could be judged by it."
        : `Of ${counted(floors.length, "row")} judged by it ${broken === 0 ? "none fails" : `${broken} ${broken === 1 ? "fails" : "fail"}`}.`}
    </Text>
  );
}
