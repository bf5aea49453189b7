import classes from "~/components/share.module.css";

/** A share of some calls with its 95 % interval, as the server measures it. */
export interface MeasuredShare {
  /** Null when there was nothing to measure. */
  share: number | null;
  interval: number[];
  /** Of how many it is a share, where the server says. */
  equal?: number | null;
  of?: number | null;
}

/** "97 %"; what is not all is never rounded to all, what is not nothing never to nothing. */
export function percent(share: number): string {
  return `${percentNumber(share)} %`;
}

/** "[95–99]" */
export function intervalText([low = 0, high = 1]: number[]): string {
  return `[${percentNumber(low)}–${percentNumber(high)}]`;
}

function percentNumber(share: number): string {
  const hundredths = share * 100;
  const whole = Math.round(hundredths);
  if ((whole === 100 && share < 1) || (whole === 0 && share > 0)) {
    const shown = Math.min(Math.max(hundredths, 0.1), 99.9);
    return (whole === 0 ? Math.ceil(shown * 10) / 10 : Math.floor(shown * 10) / 10).toFixed(1);
  }
  return String(whole);
}

interface ShareBarProps {
  of: MeasuredShare;
  what: string;
  /** Of how many it is a share, as "12 of 14", unless `of` says so; only what says it elsewhere leaves it out. */
  counts?: string | undefined;
  /** The figures stand elsewhere. */
  wordless?: boolean;
}

/** "12 of 14" */
export function countsOf(part: number, whole: number): string {
  return `${part.toLocaleString("en")} of ${whole.toLocaleString("en")}`;
}

/** "12 of 14", where the server says. */
export function countsIn({ equal, of }: MeasuredShare): string | undefined {
  return equal == null || of == null ? undefined : countsOf(equal, of);
}

/** "97 % [95–99], 12 of 14" */
export function shareText(of: MeasuredShare & { share: number }): string {
  const counts = countsIn(of);
  return `${percent(of.share)} ${intervalText(of.interval)}${counts ? `, ${counts}` : ""}`;
}

/** "97 % [95–99] 12 of 14" over a bar: the band is the interval, the mark the share. */
export function ShareBar({ of, what, counts = countsIn(of), wordless = false }: ShareBarProps) {
  if (of.share === null) return <span className={classes.none}>–</span>;
  const [low = 0, high = 1] = of.interval;
  const words = `${percent(of.share)} ${intervalText(of.interval)}${counts ? `, ${counts}` : ""}`;
  return (
    <span className={classes.share}>
      {!wordless && (
        <span className={classes.words}>
          <b>{percent(of.share)}</b> {intervalText(of.interval)}
          {counts && <span className={classes.counts}>{counts}</span>}
        </span>
      )}
      <span className={classes.track} role="img" aria-label={`${what}: ${words}`}>
        <span className={classes.band} style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }} />
        <span className={classes.mark} style={{ left: `${of.share * 100}%` }} />
      </span>
    </span>
  );
}
