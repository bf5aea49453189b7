import { useLocalStorage } from "@mantine/hooks";
import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, useRef } from "react";
import classes from "~/pages/run/timeline/timeline.module.css";
import { useTop } from "~/pages/run/timeline/use-top";

const LEAST = 30;
const MOST = 75;
const DEFAULT = 58;
const BY_KEY = 2;

/** Two panes side by side with a border to drag; without a right one the left takes it all. */
export function Split({ left, right }: { left: ReactNode; right: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  const top = useTop(frame);
  const [share, setShare] = useLocalStorage({
    key: "odyssey-run-split",
    defaultValue: DEFAULT,
    getInitialValueInEffect: false,
  });

  function drag(event: PointerEvent<HTMLDivElement>) {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || frame.current === null) return;
    const { left: from, width } = frame.current.getBoundingClientRect();
    setShare(within(((event.clientX - from) / width) * 100));
  }

  function move(event: KeyboardEvent) {
    const step = event.key === "ArrowLeft" ? -BY_KEY : event.key === "ArrowRight" ? BY_KEY : 0;
    if (step === 0) return;
    event.preventDefault();
    setShare(within(share + step));
  }

  const style = { "--top": `${top}px`, "--share": `${within(share)}%` } as CSSProperties;
  if (!right) {
    return (
      <div ref={frame} className={classes.whole} style={style}>
        {left}
      </div>
    );
  }
  return (
    <div ref={frame} className={classes.split} style={style}>
      <div className={classes.pane}>{left}</div>
      {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be dragged */}
      <div
        role="separator"
        aria-label="Width of the steps"
        aria-orientation="vertical"
        aria-valuenow={Math.round(within(share))}
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        tabIndex={0}
        className={classes.border}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onDoubleClick={() => setShare(DEFAULT)}
        onKeyDown={move}
      />
      <div className={classes.pane}>{right}</div>
    </div>
  );
}

function within(share: number): number {
  return Number.isFinite(share) ? Math.min(Math.max(share, LEAST), MOST) : DEFAULT;
}
