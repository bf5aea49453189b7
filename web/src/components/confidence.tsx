import { type Tone, toneColor } from "~/components/badges";
import classes from "~/components/confidence.module.css";

/** From which confidence on; the engine itself never says more than 0.3 of a call it did not understand. */
const LEVELS: [least: number, tone: Tone, words: string][] = [
  [0.75, "green", "sure"],
  [0.31, "amber", "likely, but not plain from names and schemas"],
  [0, "red", "a guess: the call was not understood"],
];

/** How sure the engine is of its own reading. */
export function Confidence({ of: confidence }: { of: number }) {
  const [, tone, words] = LEVELS.find(([least]) => confidence >= least) ?? [0, "red", "a guess"];
  return (
    <div className={classes.confidence}>
      <meter
        className={classes.meter}
        min={0}
        max={1}
        value={confidence}
        aria-label="Confidence"
        style={
          { "--level": toneColor(tone as Tone), "--share": `${confidence * 100}%` } as React.CSSProperties
        }
      >
        {confidence}
      </meter>
      <span className={classes.number}>{confidence.toFixed(2)}</span> <span>{words}</span>
    </div>
  );
}
