import { Text } from "@mantine/core";
import type { Cell } from "~/api/evals";
import classes from "~/components/comparison/comparison.module.css";
import { Fold } from "~/components/fold";
import { percent } from "~/components/share";

type Point = Cell["pass_k"][number];

const WIDTH = 340;
const HEIGHT = 120;
const LEFT = 36;
const BOTTOM = 20;
const TOP = 8;
const RIGHT = 10;

/** pass^k with and without the pressure; what lies between is the reliability lost. */
export function Reliability({ points }: { points: Point[] }) {
  const last = points.at(-1);
  if (last === undefined) {
    return <Text size="sm">Both sides need runs that matched or missed.</Text>;
  }
  return (
    <>
      <Text size="sm">
        {last.k === 1 ? "One run" : `${last.k} runs in a row`}: {percent(last.baseline)} without pressure,{" "}
        {percent(last.variation)} under it. <b>{lostWords(last)}</b>
      </Text>
      {points.length > 1 && <Curves points={points} />}
      <Fold label="As a table">
        <table className={classes.small}>
          <thead>
            <tr>
              <th scope="col">k</th>
              <th scope="col">baseline</th>
              <th scope="col">pressure</th>
              <th scope="col">lost</th>
            </tr>
          </thead>
          <tbody>
            {points.map((point) => (
              <tr key={point.k}>
                <td>{point.k}</td>
                <td>{percent(point.baseline)}</td>
                <td>{percent(point.variation)}</td>
                <td>{pointsOf(point.lost)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Fold>
    </>
  );
}

function lostWords({ lost }: Point): string {
  if (Math.abs(lost) < 0.005) return "No reliability lost.";
  return lost > 0 ? `${pointsOf(lost)} points of reliability lost.` : `${pointsOf(-lost)} points gained.`;
}

function pointsOf(share: number): string {
  return String(Math.round(share * 100)).replace("-", "−");
}

function Curves({ points }: { points: Point[] }) {
  const most = points.at(-1)?.k ?? 1;
  const x = (k: number) => LEFT + ((k - 1) / Math.max(most - 1, 1)) * (WIDTH - LEFT - RIGHT);
  const y = (share: number) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  const line = (of: "baseline" | "variation") =>
    points.map((point) => `${x(point.k)},${y(point[of])}`).join(" ");
  const back = [...points].reverse().map((point) => `${x(point.k)},${y(point.variation)}`);
  const step = Math.ceil(most / 12);
  return (
    <svg
      className={classes.curves}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label="pass^k without pressure, solid, and under it, dashed"
    >
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <line className={classes.grid} x1={LEFT} x2={WIDTH - RIGHT} y1={y(share)} y2={y(share)} />
          <text x={LEFT - 6} y={y(share) + 4} textAnchor="end">
            {share * 100} %
          </text>
        </g>
      ))}
      <polygon className={classes.lost} points={`${line("baseline")} ${back.join(" ")}`} />
      <polyline className={classes.without} points={line("baseline")} />
      <polyline className={classes.under} points={line("variation")} />
      {points
        .filter(({ k }) => (k - 1) % step === 0)
        .map(({ k }) => (
          <text key={k} x={x(k)} y={HEIGHT - 4} textAnchor="middle">
            {k}
          </text>
        ))}
    </svg>
  );
}
