import { ActionIcon, Tooltip } from "@mantine/core";
import { IconZoomInArea, IconZoomOutArea } from "@tabler/icons-react";
import classes from "~/pages/run/timeline/waterfall.module.css";

export interface Tick {
  /** Milliseconds since the attempt began. */
  at: number;
  /** Share of the axis. */
  left: number;
}

const NEAR_THE_END = 0.85;
const TWO_LABELS = 110;

interface TimeAxisProps {
  ticks: Tick[];
  span: number;
  /** Pixels. */
  width: number;
  height: number;
  zoomed: boolean;
  onZoom: (zoomed: boolean) => void;
}

/** Stays above the rows; its button narrows the time to that of the rows in sight. */
export function TimeAxis({ ticks, span, width, height, zoomed, onZoom }: TimeAxisProps) {
  const what = zoomed ? "Show the whole attempt" : "Zoom to the rows in sight";
  const Icon = zoomed ? IconZoomOutArea : IconZoomInArea;
  return (
    <div className={classes.axis} style={{ height }}>
      <div className={classes.axisTitle}>
        <span>Step</span>
        <Tooltip label={what}>
          <ActionIcon
            size="xs"
            variant={zoomed ? "light" : "subtle"}
            color={zoomed ? "teal" : "gray"}
            aria-label="Zoom to the rows in sight"
            aria-pressed={zoomed}
            onClick={() => onZoom(!zoomed)}
          >
            <Icon size={14} />
          </ActionIcon>
        </Tooltip>
      </div>
      <div className={classes.ticks} aria-hidden>
        {labelled(ticks, width).map(({ at, left }) => (
          <span key={at} style={{ left: `${left * 100}%` }} data-last={left > NEAR_THE_END || undefined}>
            {tickLabel(at, span)}
          </span>
        ))}
      </div>
    </div>
  );
}

/** A label stands right of its tick, near the end left of it: there it may need the room of the one before. */
function labelled(ticks: Tick[], width: number): Tick[] {
  const last = ticks.findIndex(({ left }) => left > NEAR_THE_END);
  const before = ticks[last - 1];
  const crowded = before && before.at > 0 && ((ticks[last]?.left ?? 0) - before.left) * width < TWO_LABELS;
  return crowded ? ticks.filter((tick) => tick !== before) : ticks;
}

function tickLabel(at: number, span: number): string {
  if (at === 0) return "0";
  if (span < 1_000 && at < 10_000) return `${at} ms`;
  if (at < 60_000) return `${at / 1_000} s`;
  const seconds = (at % 60_000) / 1_000;
  return `${Math.floor(at / 60_000)} min${seconds > 0 ? ` ${seconds} s` : ""}`;
}
