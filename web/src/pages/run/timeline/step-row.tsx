import { type CSSProperties, memo } from "react";
import { ToneBadge, toneColor, VerdictBadge } from "~/components/badges";
import { duration } from "~/components/time";
import { ActorMark } from "~/pages/run/actor-mark";
import { type Axis, outsideOf, type Place, placeOf, type Step } from "~/pages/run/model/waterfall";
import { SentBadge } from "~/pages/run/sent-badge";
import { StepIcon } from "~/pages/run/timeline/step-icon";
import classes from "~/pages/run/timeline/waterfall.module.css";

interface StepRowProps {
  step: Step;
  /** What is drawn. */
  axis: Axis;
  /** The whole attempt. */
  whole: Axis;
  selected: boolean;
  declared: Set<string> | null;
  top: number;
  height: number;
  position: number;
  of: number;
  onSelect: (sequence: number) => void;
}

export function rowId(sequence: number): string {
  return `step-${sequence}`;
}

/** One event: what it is on the left, when it was on the right. */
export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { step, axis, whole, selected, declared, top, height, position, of, onSelect } = props;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list box has the focus and names the active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the page listens for keys
    <div
      id={rowId(step.sequence)}
      role="option"
      aria-selected={selected}
      aria-posinset={position}
      aria-setsize={of}
      className={classes.row}
      data-kind={step.event.kind}
      data-selected={selected || undefined}
      style={{ transform: `translateY(${top}px)`, height }}
      onClick={() => onSelect(step.sequence)}
    >
      <div className={classes.what}>
        <span className={classes.sequence}>{step.sequence}</span>
        <span className={classes.icon}>
          <StepIcon step={step} />
        </span>
        <span className={classes.name}>{step.name}</span>
        <span className={classes.about}>{step.about}</span>
        <Marks step={step} declared={declared} />
      </div>
      <Bar step={step} axis={axis} whole={whole} />
    </div>
  );
});

function Marks({ step, declared }: { step: Step; declared: Set<string> | null }) {
  return (
    <span className={classes.marks}>
      {step.actor !== null && (
        <span className={classes.actor}>
          <ActorMark actor={step.actor} declared={declared} dense />
        </span>
      )}
      {step.changes > 0 && (
        <span className={classes.changes} title={`${step.changes} operations on the ledger`}>
          Δ{step.changes}
        </span>
      )}
      {step.rule !== null && <ToneBadge tone="injected">rule {step.rule}</ToneBadge>}
      {step.refused && <ToneBadge tone="error">refused {step.status}</ToneBadge>}
      {!step.refused && step.status !== null && <ToneBadge tone="error">HTTP {step.status}</ToneBadge>}
      {!step.refused && step.source !== null && <ToneBadge tone={step.source}>{step.source}</ToneBadge>}
      {step.cassette && <ToneBadge tone="neutral">replayed</ToneBadge>}
      {step.sent && <SentBadge sent={step.sent} />}
      {step.event.kind === "grade" && <VerdictBadge verdict={String(step.event.data.verdict)} />}
    </span>
  );
}

const ROOM = 0.28;

/** Where a label of the bar stands: behind it, before it, or on it when neither has room. */
function labelPlace({ left, width }: Place): { where: "after" | "before" | "on"; style: CSSProperties } {
  const end = left + width;
  if (1 - end > ROOM) return { where: "after", style: { left: `${end * 100}%` } };
  if (left > ROOM) return { where: "before", style: { right: `${(1 - left) * 100}%` } };
  return { where: "on", style: { right: `${(1 - end) * 100}%` } };
}

function Bar({ step, axis, whole }: { step: Step; axis: Axis; whole: Axis }) {
  const place = placeOf(step, axis);
  const color = step.source ? toneColor(step.source) : "var(--tone-neutral)";
  const moment = step.length === null && step.event.kind !== "dispatch";
  const outside = moment ? outsideOf(step, whole) : null;
  const label = outside ? `${outside} the attempt` : step.length === null ? null : duration(step.length);
  const { where, style } = labelPlace(place);
  return (
    <div className={classes.bars}>
      <span
        className={moment ? classes.moment : classes.bar}
        data-outside={outside ?? undefined}
        style={{
          left: `${place.left * 100}%`,
          width: moment ? undefined : `${place.width * 100}%`,
          background: color,
        }}
      />
      {label !== null && (
        <span className={classes.length} data-where={where} style={style}>
          {label}
        </span>
      )}
    </div>
  );
}
