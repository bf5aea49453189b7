import { Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import type { CSSProperties } from "react";
import type { Estimate } from "~/api/batches";
import { toneColor } from "~/components/badges";
import classes from "~/pages/batches/batches.module.css";

const WIDEST = 640;
const HEIGHT = 64;
const EDGE = 28;
const MIDDLE = 24;

/** "+12", "−4", "0": points of a hundred, with a true minus. */
export function points(share: number): string {
  const rounded = Math.round(share * 100);
  if (rounded === 0 && share !== 0) return share > 0 ? "+0.5" : "−0.5";
  return rounded > 0 ? `+${rounded}` : rounded < 0 ? `−${-rounded}` : "0";
}

/** How much more often B passes than A, and how sure that is. */
export function Difference({ of }: { of: Estimate | null }) {
  const { ref, width: room } = useElementSize();
  if (of === null) {
    return <Text size="sm">No row has been graded in both batches, so there is nothing to compare.</Text>;
  }
  const [low = -1, high = 1] = of.interval;
  const sure = low > 0 || high < 0;
  const tone = !sure ? "neutral" : of.share > 0 ? "green" : "red";
  const words = `${points(of.share)} points [${points(low)} to ${points(high)}]`;
  const reach = reachOf(Math.max(Math.abs(low), Math.abs(high)));
  const width = Math.min(room || WIDEST, WIDEST);
  const x = (share: number) => width / 2 + (share / reach) * (width / 2 - EDGE);
  return (
    <div ref={ref} style={{ "--tone": toneColor(tone) } as CSSProperties}>
      <Text size="sm">
        <b className={classes.big}>{points(of.share)}</b>{" "}
        <Text span c="var(--ody-text-dim)">
          points of pass rate [{points(low)} to {points(high)}]
        </Text>
      </Text>
      <Text size="sm" mt={4}>
        {conclusion(of)}
      </Text>
      <svg
        className={classes.chart}
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={`Difference of the pass rates: ${words}`}
        style={{ maxWidth: WIDEST, marginTop: 12 }}
      >
        <line className={classes.grid} x1={EDGE} x2={width - EDGE} y1={MIDDLE} y2={MIDDLE} />
        <line className={classes.zero} x1={x(0)} x2={x(0)} y1={4} y2={MIDDLE + 18} />
        <line className={classes.interval} x1={x(low)} x2={x(high)} y1={MIDDLE} y2={MIDDLE} />
        <circle className={classes.mark} cx={x(of.share)} cy={MIDDLE} r={5} />
        {[-reach, 0, reach].map((share) => (
          <text key={share} x={x(share)} y={HEIGHT - 4} textAnchor="middle">
            {share === 0 ? "no difference" : points(share)}
          </text>
        ))}
        <text x={EDGE} y={12}>
          A is better
        </text>
        <text x={width - EDGE} y={12} textAnchor="end">
          B is better
        </text>
      </svg>
    </div>
  );
}

/** The axis: the interval fits, and zero is in the middle. */
function reachOf(furthest: number): number {
  return [0.1, 0.25, 0.5, 1].find((reach) => furthest <= reach) ?? 1;
}

function conclusion({ share, interval: [low = -1, high = 1] }: Estimate): string {
  if (low > 0) return "B passes more often: the interval lies above no difference.";
  if (high < 0) return "B passes less often: the interval lies below no difference.";
  if (share === 0) return "No difference was seen; the interval says how large one might still be.";
  return `B passed ${share > 0 ? "more" : "less"} often here, but the interval holds “no difference”: it may be chance. More rows or repeats would tell.`;
}
