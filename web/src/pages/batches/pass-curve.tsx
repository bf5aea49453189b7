import { Text } from "@mantine/core";
import type { PassK } from "~/api/batches";
import { Fold } from "~/components/fold";
import { intervalText, percent } from "~/components/share";
import classes from "~/pages/batches/batches.module.css";

const WIDTH = 340;
const HEIGHT = 150;
const LEFT = 36;
const BOTTOM = 22;
const TOP = 8;
const RIGHT = 8;
const MOST_POINTS = 12;

/** pass^k over k, with its interval as a band; the same as a table below. */
export function PassCurve({ points, repeats }: { points: PassK[]; repeats: number }) {
  return (
    <div>
      {repeats === 1 ? (
        <Text size="sm" c="var(--ody-text-dim)">
          With one run of each task there is no curve. Repeat the rows to see how reliable the agent is: an
          agent that passes nine times out of ten passes five in a row only in 59 % of the cases.
        </Text>
      ) : (
        <Curve points={points} repeats={repeats} />
      )}
      <Fold label="As a table">
        <table className={classes.small}>
          <thead>
            <tr>
              <th scope="col">k</th>
              <th scope="col">pass^k</th>
              <th scope="col">interval</th>
              <th scope="col">tasks</th>
              <th scope="col">left out</th>
            </tr>
          </thead>
          <tbody>
            {points.map(({ k, share, interval, tasks, left_out }) => (
              <tr key={k}>
                <td>{k}</td>
                <td>{percent(share)}</td>
                <td>{intervalText(interval)}</td>
                <td>{tasks}</td>
                <td>{left_out}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Fold>
    </div>
  );
}

/** Its room is the same from the start, so that nothing below moves when figures come. */
function Curve({ points, repeats }: { points: PassK[]; repeats: number }) {
  const x = (k: number) => LEFT + ((k - 1) / (repeats - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (share: number) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  const line = points.map(({ k, share }) => `${x(k)},${y(share)}`).join(" ");
  const upper = points.map(({ k, share, interval }) => `${x(k)},${y(interval[1] ?? share)}`);
  const lower = points.map(({ k, share, interval }) => `${x(k)},${y(interval[0] ?? share)}`).reverse();
  const step = Math.ceil(repeats / MOST_POINTS);
  const ticks = Array.from({ length: repeats }, (_, at) => at + 1).filter((k) => (k - 1) % step === 0);
  return (
    <svg className={classes.chart} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={inWords(points)}>
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <line className={classes.grid} x1={LEFT} x2={WIDTH - RIGHT} y1={y(share)} y2={y(share)} />
          <text x={LEFT - 6} y={y(share) + 4} textAnchor="end">
            {share * 100} %
          </text>
        </g>
      ))}
      <polygon className={classes.band} points={[...upper, ...lower].join(" ")} />
      <polyline className={classes.curve} points={line} />
      {points.map(({ k, share }) => (
        <circle key={k} className={classes.point} cx={x(k)} cy={y(share)} r={repeats > 30 ? 1.5 : 3} />
      ))}
      {ticks.map((k) => (
        <text key={k} x={x(k)} y={HEIGHT - 5} textAnchor="middle">
          {k}
        </text>
      ))}
    </svg>
  );
}

function inWords(points: PassK[]): string {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return "pass^k: nothing is graded yet";
  return `pass^k goes from ${percent(first.share)} to ${percent(last.share)} at k = ${last.k}`;
}
