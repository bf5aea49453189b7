import { Text } from "@mantine/core";
import type { ReviewItem } from "~/api/reviews";
import { ShiftScalePicture } from "~/components/comparison/cell/shift-picture";
import { figure, intervalOf, probability } from "~/components/evals/figures";
import classes from "~/pages/reviews/reviews.module.css";
import { rateText } from "~/pages/reviews/why";

/** Of a measured shift; a raw one has the agent's noise in it, and no colour. */
export function bandOf({ shift, interval }: ReviewItem): "green" | "amber" | "red" | null {
  if (shift === null || interval === null) return null;
  if (shift < 0.2) return "green";
  return shift <= 0.5 ? "amber" : "red";
}

/** "0 % (0 of 4), baselines 100 % (12 of 12)" */
function matches(item: ReviewItem): string | null {
  const { match_rate, match_runs, baseline_match_rate, baseline_match_runs } = item;
  if (match_rate === null) return null;
  const pressed = rateText(match_rate, match_runs);
  if (baseline_match_rate === null) return pressed;
  return `${pressed}, baselines ${rateText(baseline_match_rate, baseline_match_runs)}`;
}

/** What was known of an item when it was put here. */
export function ItemFigures({ item }: { item: ReviewItem }) {
  const { shift, interval, threshold, q_value } = item;
  const name = interval === null ? "Raw shift" : "Shift";
  const facts: [string, string | null][] = [
    [name, shift === null ? null : figure(shift) + (interval === null ? "" : ` ${intervalOf(interval)}`)],
    ["By chance", q_value === null ? null : `q ${probability(q_value)}`],
    ["Does what is expected", matches(item)],
  ];
  const known = facts.filter(([, value]) => value !== null);
  if (known.length === 0) return null;
  return (
    <div className={classes.figures}>
      <dl className={classes.facts}>
        {known.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {shift !== null && threshold !== null ? (
        <ShiftScalePicture
          of={{ shift, interval, threshold, band: bandOf(item), state: "", name }}
          label={`${name} ${figure(shift)}${
            interval === null ? "" : `, interval ${intervalOf(interval)}`
          }. Flagged above ${figure(threshold)}.`}
        />
      ) : (
        <Text size="xs" c="var(--ody-text-dim)">
          No shift is known: there was nothing to compare it with.
        </Text>
      )}
    </div>
  );
}
