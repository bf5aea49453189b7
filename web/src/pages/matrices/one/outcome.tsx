import { Text } from "@mantine/core";
import type { Matrix, MatrixCell } from "~/api/matrices";
import { counted, listed } from "~/components/counted";
import { variationName } from "~/components/evals/names";
import { BandsBar } from "~/components/matrices/bands-bar";
import { Panel } from "~/components/page";
import { countsOf, ShareBar } from "~/components/share";
import { countKinds, failingRows, rowKey } from "~/pages/matrices/heat-map/looks";
import classes from "~/pages/matrices/matrices.module.css";
import { gateVerdict } from "~/pages/matrices/one/gate";
import { plannedRuns } from "~/pages/matrices/one/matrix-facts";

const NAMES_TOLD = 3;

/** The outcome in one or two sentences, and how many cells are of which band. */
export function Outcome({ matrix }: { matrix: Matrix }) {
  const { overall } = matrix.summary.match_rate;
  const left = leftOut(matrix);
  return (
    <Panel>
      <div className={classes.headline}>
        <div>
          <Text className={classes.verdict ?? ""} role="status">
            {matrix.provisional && "So far: "}
            {verdictOf(matrix)}
          </Text>
          <Text size="sm" mt={8}>
            {gateVerdict(matrix)}
          </Text>
        </div>
        <div>
          <BandsBar bands={matrix.summary.shift} failing={greenOnFailingRows(matrix)} tall />
          <Text size="xs" c="var(--ody-text-dim)" mt={6} component="div">
            Matches of the planned runs, pressed or not{" "}
            <ShareBar
              of={{ share: overall.share, interval: overall.interval ?? [0, 1] }}
              what="Match rate of the planned runs"
              counts={countsOf(overall.matched, overall.runs)}
            />
          </Text>
          {left !== null && (
            <Text size="xs" c="var(--ody-text-dim)" mt={6}>
              {left}
            </Text>
          )}
        </div>
      </div>
    </Panel>
  );
}

function greenOnFailingRows(matrix: Matrix): number {
  const failing = failingRows(matrix);
  return matrix.cells.filter((cell) => cell.band === "green" && failing.has(rowKey(cell))).length;
}

/** Planned runs that ended and say nothing of matches: placebos, those not measured or that expect nothing. */
function leftOut(matrix: Matrix): string | null {
  const ended = Math.min(matrix.progress.ended, plannedRuns(matrix));
  const count = ended - matrix.summary.match_rate.overall.runs;
  return count > 0
    ? `${counted(count, "run")} left out: placebos, not measured, or nothing is expected.`
    : null;
}

function verdictOf(matrix: Matrix): string {
  const agent = `${matrix.agent_name} version ${matrix.agent_version}`;
  const { cells } = matrix;
  const confirmed = cells.filter((cell) => cell.confirmed);
  const unmeasured = cells.filter(({ state }) => state !== "measured").length;
  const beside = besidesOf(matrix);
  const lacking =
    unmeasured === 0 || unmeasured === cells.length
      ? ""
      : ` ${counted(unmeasured, "cell")} ${matrix.provisional ? "not measured yet" : "could not be measured"}.`;
  if (confirmed.length > 0) {
    return `Under pressure ${agent} behaves differently in ${confirmed.length} of ${counted(cells.length, "cell")}, and not by chance: ${placesOf(matrix, confirmed)}.${beside}${lacking}`;
  }
  if (unmeasured === cells.length) {
    return matrix.provisional
      ? `nothing can be said of ${agent} yet.`
      : `Nothing can be said of ${agent}: none of ${counted(cells.length, "cell")} could be measured.${beside}`;
  }
  return `${matrix.provisional ? "no" : "No"} change of ${agent} under pressure is confirmed in any of ${counted(cells.length, "cell")}.${beside}${lacking}`;
}

/** What is to be known beside confirmed cells. */
function besidesOf(matrix: Matrix): string {
  const { incidents, broken_floors: rows } = matrix.summary;
  const kinds = new Map(countKinds(matrix));
  const significant = kinds.get("significant") ?? 0;
  const flagged = kinds.get("flagged") ?? 0;
  const parts = [
    rows > 0 && `${counted(rows, "row")} ${rows === 1 ? "fails" : "fail"} without pressure.`,
    incidents > 0 &&
      `In ${counted(incidents, "cell")} a run did something that no run of its row without pressure did.`,
    significant > 0 &&
      `In ${counted(significant, "cell")} ${significant === 1 ? "the change is" : "changes are"} real and small.`,
    flagged > 0 && `${counted(flagged, "cell")} flagged, perhaps noise.`,
  ];
  return parts.map((part) => (part === false ? "" : ` ${part}`)).join("");
}

function placesOf(matrix: Matrix, confirmed: MatrixCell[]): string {
  const names = new Map(matrix.scenarios.map(({ id, name }) => [id, name]));
  const pressures = someOf(confirmed.map(({ variation_type }) => variationName(variation_type)));
  return `${pressures}, on ${someOf(confirmed.map(({ scenario_id }) => `“${names.get(scenario_id) ?? scenario_id}”`))}`;
}

function someOf(all: string[]): string {
  const names = [...new Set(all)];
  const parts = names.slice(0, NAMES_TOLD);
  if (names.length > NAMES_TOLD) parts.push(`${names.length - NAMES_TOLD} more`);
  return listed(parts);
}
