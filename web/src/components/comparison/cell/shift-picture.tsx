import { useElementSize } from "@mantine/hooks";
import type { CSSProperties } from "react";
import type { Cell } from "~/api/evals";
import { toneColor } from "~/components/badges";
import classes from "~/components/comparison/comparison.module.css";
import { figure, intervalOf } from "~/components/evals/figures";

const NARROWEST = 260;
const WIDEST = 620;
const HEIGHT = 124;
const EDGE = 14;
const TRACK = 12;
const DISTANCE_Y = 24;
const SHIFT_Y = 80;
/** Where the shift alone begins. */
const SHIFT_TOP = 56;
const BANDS = [
  ["green", 0, 0.2],
  ["amber", 0.2, 0.5],
  ["red", 0.5, 1],
] as const;

/** What the scale of the shift shows. */
type OnScale = Pick<Cell, "shift" | "interval" | "threshold" | "band"> & {
  state: string;
  name?: string;
};

/** The scale of the shift alone. */
export function ShiftScalePicture({ of, label }: { of: OnScale; label: string }) {
  const { ref, width, x } = useScale();
  return (
    <div ref={ref} className={classes.picture}>
      <svg viewBox={`0 ${SHIFT_TOP} ${width} ${HEIGHT - SHIFT_TOP}`} role="img" aria-label={label}>
        <ShiftScale cell={of} x={x} />
        <Ticks x={x} />
      </svg>
    </div>
  );
}

/** Two scales from 0 to 1: how far apart runs are, with the noise; and the shift, what of the room above it is used. */
export function ShiftPicture({ cell }: { cell: Cell }) {
  const { ref, width, x } = useScale();
  return (
    <div ref={ref} className={classes.picture}>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={inWords(cell)}>
        <Distance cell={cell} x={x} />
        <ShiftScale cell={cell} x={x} />
        <Ticks x={x} />
      </svg>
    </div>
  );
}

type Place = (value: number) => number;

function useScale() {
  const { ref, width: room } = useElementSize();
  const width = Math.min(Math.max(room || WIDEST, NARROWEST), WIDEST);
  const x: Place = (value) => EDGE + Math.min(Math.max(value, 0), 1) * (width - 2 * EDGE);
  return { ref, width, x };
}

function Ticks({ x }: { x: Place }) {
  return [0, 0.2, 0.5, 1].map((value) => (
    <text key={value} x={x(value)} y={HEIGHT - 4} textAnchor="middle">
      {value}
    </text>
  ));
}

function Distance({ cell: { raw_shift, noise_floor }, x }: { cell: Cell; x: Place }) {
  return (
    <g>
      <text x={x(0)} y={DISTANCE_Y - 12} className={classes.title}>
        Distance
      </text>
      <rect className={classes.track} x={x(0)} y={DISTANCE_Y} width={x(1) - x(0)} height={TRACK} rx={3} />
      {noise_floor !== null && (
        <>
          <rect
            className={classes.noise}
            x={x(0)}
            y={DISTANCE_Y}
            width={Math.max(x(noise_floor) - x(0), 1)}
            height={TRACK}
            rx={3}
          />
          <line
            className={classes.floor}
            x1={x(noise_floor)}
            x2={x(noise_floor)}
            y1={DISTANCE_Y - 4}
            y2={DISTANCE_Y + TRACK + 4}
          />
        </>
      )}
      {raw_shift !== null && (
        <circle className={classes.raw} cx={x(raw_shift)} cy={DISTANCE_Y + TRACK / 2} r={5} />
      )}
      <text x={x(1)} y={DISTANCE_Y - 12} textAnchor="end">
        {noise_floor === null ? "no noise floor yet" : `noise floor ${figure(noise_floor)}`}
        {raw_shift !== null && `, under pressure ${figure(raw_shift)}`}
      </text>
    </g>
  );
}

function ShiftScale({ cell, x }: { cell: OnScale; x: Place }) {
  const { shift, interval, threshold, band } = cell;
  const tone = { "--tone": toneColor(band ?? "neutral") } as CSSProperties;
  const middle = SHIFT_Y + TRACK / 2;
  const [low = 0, high = 1] = interval ?? [];
  const late = threshold > 0.6;
  return (
    <g style={tone}>
      <text x={x(0)} y={SHIFT_Y - 12} className={classes.title}>
        {cell.name ?? "Shift"}
      </text>
      {BANDS.map(([name, from, to]) => (
        <rect
          key={name}
          className={classes.band}
          x={x(from)}
          y={SHIFT_Y}
          width={x(to) - x(from)}
          height={TRACK}
          fill={shift === null ? "var(--tone-neutral-soft)" : toneColor(name, true)}
        />
      ))}
      <line
        className={classes.threshold}
        x1={x(threshold)}
        x2={x(threshold)}
        y1={SHIFT_Y - 7}
        y2={SHIFT_Y + TRACK + 7}
      />
      <text x={x(threshold) + (late ? -5 : 5)} y={SHIFT_Y - 12} textAnchor={late ? "end" : "start"}>
        flagged above {figure(threshold)}
      </text>
      {shift === null ? (
        <text x={x(0) + 8} y={middle + 4}>
          {cell.state}
        </text>
      ) : (
        <>
          {interval && (
            <>
              <line className={classes.interval} x1={x(low)} x2={x(high)} y1={middle} y2={middle} />
              {low < -0.005 && <path className={classes.mark} d={`M ${x(0)} ${middle - 4} l -7 4 l 7 4 z`} />}
            </>
          )}
          <circle className={classes.mark} cx={x(shift)} cy={middle} r={6} />
        </>
      )}
    </g>
  );
}

function inWords(cell: Cell): string {
  const floor = cell.noise_floor === null ? "" : ` Noise floor ${figure(cell.noise_floor)}.`;
  const raw = cell.raw_shift === null ? "" : ` Distance ${figure(cell.raw_shift)}.`;
  const shift = cell.shift === null ? `No shift: ${cell.state}.` : `Shift ${figure(cell.shift)}.`;
  const interval = cell.interval === null ? "" : ` Interval ${intervalOf(cell.interval)}.`;
  return `${shift}${interval} Flagged above ${figure(cell.threshold)}.${floor}${raw}`;
}
