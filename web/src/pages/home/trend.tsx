import { Link } from "@tanstack/react-router";
import type { VersionEvaluated } from "~/api/matrices";
import { counted } from "~/components/counted";
import { countsOf, percent } from "~/components/share";
import classes from "~/pages/home/eval-summary.module.css";

const WIDTH = 240;
const HEIGHT = 64;
const EDGE = 8;
const BOTTOM = 16;
const AGENTS_SHOWN = 3;
const MOST_VERSIONS = 12;

/** The match rate of each agent over its versions; a version with something confirmed is a red point. */
export function Trend({ versions }: { versions: VersionEvaluated[] }) {
  const ids = [...new Set(versions.map(({ agent_id }) => agent_id))];
  const agents = ids
    .map((id) => versions.filter(({ agent_id }) => agent_id === id))
    .toSorted((a, b) => newest(b) - newest(a))
    .slice(0, AGENTS_SHOWN);
  return (
    <ul className={classes.trends} aria-label="Trend per agent version">
      {agents.map((points) => (
        <AgentTrend key={points[0]?.agent_id} points={points.slice(-MOST_VERSIONS)} />
      ))}
    </ul>
  );
}

function foundIn({ summary: { confirmed, incidents, broken_floors } }: VersionEvaluated): string {
  return [
    `${confirmed} confirmed`,
    ...(incidents > 0 ? [`${incidents} with incidents`] : []),
    ...(broken_floors > 0 ? [`${counted(broken_floors, "row")} failing without pressure`] : []),
  ].join(", ");
}

function newest(points: VersionEvaluated[]): number {
  return Date.parse(points.at(-1)?.finished_at ?? "");
}

function AgentTrend({ points }: { points: VersionEvaluated[] }) {
  const last = points.at(-1);
  if (last === undefined) return null;
  const x = (index: number) =>
    points.length === 1 ? WIDTH / 2 : EDGE + (index / (points.length - 1)) * (WIDTH - 2 * EDGE);
  const y = (share: number) => EDGE + (1 - share) * (HEIGHT - EDGE - BOTTOM);
  const measured = points.flatMap((point, index) => {
    const { share, matched, runs } = point.summary.match_rate.overall;
    if (share === null) return [];
    const words = `${percent(share)}, ${countsOf(matched, runs)}`;
    return [{ point, share, words, at: x(index) }];
  });
  const latest = measured.at(-1);
  return (
    <li>
      <span className={classes.label} title={last.agent_name}>
        {last.agent_name}, match rate by version
      </span>
      <svg
        className={classes.trend}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`Match rate of ${last.agent_name}: ${measured.map(({ point, words }) => `version ${point.agent_version} ${words}, ${foundIn(point)}`).join("; ")}`}
      >
        <line className={classes.grid} x1={0} x2={WIDTH} y1={y(1)} y2={y(1)} />
        <line className={classes.grid} x1={0} x2={WIDTH} y1={y(0)} y2={y(0)} />
        <polyline
          className={classes.line}
          points={measured.map(({ share, at }) => `${at},${y(share)}`).join(" ")}
        />
        {measured.map(({ point, share, words, at }) => (
          <g key={point.agent_version}>
            <circle
              className={classes.point}
              data-confirmed={point.summary.confirmed > 0 || undefined}
              cx={at}
              cy={y(share)}
              r={4}
            >
              <title>{`v${point.agent_version}: ${words}, ${foundIn(point)}`}</title>
            </circle>
            <text x={at} y={HEIGHT - 2} textAnchor="middle">
              v{point.agent_version}
            </text>
          </g>
        ))}
      </svg>
      <Link to="/matrices/$matrixId" params={{ matrixId: last.matrix_id }} className={classes.newest}>
        v{last.agent_version}
        {latest?.point === last && ` ${latest.words}`}
      </Link>
    </li>
  );
}
