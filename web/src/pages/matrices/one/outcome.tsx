import { Text } from "@mantine/core";
import type { Matrix, MatrixCell } from "~/api/matrices";
import { counted } from "~/components/counted";
import { variationName } from "~/components/evals/names";
import { BandsBar } from "~/components/matrices/bands-bar";
import { Panel } from "~/components/page";
import { countsOf, ShareBar } from "~/components/share";
import classes from "~/pages/matrices/matrices.module.css";

const NAMES_TOLD = 3;

/** The outcome in one or two sentences, and how many cells are of which band. */
export function Outcome({ matrix }: { matrix: Matrix }) {
  const { overall } = matrix.summary.match_rate;
  const left = leftOut(matrix);
  return (
    <Panel>
      <div className={classes.headline}>
        <Text className={classes.verdict ?? ""} role="status">
          {matrix.provisional && "So far: "}
          {verdictOf(matrix)}
        </Text>
        <div>
          <BandsBar bands={matrix.summary.shift} tall />
          <Text size="xs" c="var(--ody-text-dim)" mt={6} component="div">
            Matches of all runs, pressed or not{" "}
            <ShareBar
              of={{ share: overall.share, interval: overall.interval ?? [0, 1] }}
              what="Match rate of all runs"
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

/** Runs that ended and say nothing of matches: placebos, those that could not be measured or expect nothing. */
function leftOut({ progress, summary }: Matrix): string | null {
  const count = progress.ended - summary.match_rate.overall.runs;
  return count > 0
    ? `${counted(count, "run")} left out: placebos, not measured, or nothing is expected.`
    : null;
}

function verdictOf(matrix: Matrix): string {
  const agent = `${matrix.agent_name} version ${matrix.agent_version}`;
  const { cells } = matrix;
  const confirmed = cells.filter((cell) => cell.confirmed);
  const unmeasured = cells.filter(({ state }) => state !== "measured").length;
  const flagged = cells.filter((cell) => cell.flagged && !cell.confirmed).length;
  const perhaps =
    flagged === 0
      ? ""
      : ` ${counted(flagged, confirmed.length > 0 ? "more cell" : "cell")} flagged, perhaps by noise.`;
  const lacking =
    unmeasured === 0 || unmeasured === cells.length
      ? ""
      : ` ${counted(unmeasured, "cell")} ${matrix.provisional ? "not measured yet" : "could not be measured"}.`;
  if (confirmed.length > 0) {
    return `Under pressure ${agent} behaves differently in ${confirmed.length} of ${counted(cells.length, "cell")}, and not by chance: ${placesOf(matrix, confirmed)}.${perhaps}${lacking}`;
  }
  if (unmeasured === cells.length) {
    return matrix.provisional
      ? `nothing can be said of ${agent} yet.`
      : `Nothing can be said of ${agent}: none of ${counted(cells.length, "cell")} could be measured.`;
  }
  return `${matrix.provisional ? "no" : "No"} pressure moved ${agent} beyond its own noise: of ${counted(cells.length, "cell")} none is confirmed.${perhaps}${lacking}`;
}

function placesOf(matrix: Matrix, confirmed: MatrixCell[]): string {
  const names = new Map(matrix.scenarios.map(({ id, name }) => [id, name]));
  const pressures = listed(confirmed.map(({ variation_type }) => variationName(variation_type)));
  return `${pressures}, on ${listed(confirmed.map(({ scenario_id }) => `“${names.get(scenario_id) ?? scenario_id}”`))}`;
}

function listed(all: string[]): string {
  const names = [...new Set(all)];
  const parts = names.slice(0, NAMES_TOLD);
  if (names.length > NAMES_TOLD) parts.push(`${names.length - NAMES_TOLD} more`);
  return parts.length === 1 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}
