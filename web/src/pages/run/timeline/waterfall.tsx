import { Button } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { IconArrowDown } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { type Axis, axisOf, type Step, ticksOf } from "~/pages/run/model/waterfall";
import { rowId, StepRow } from "~/pages/run/timeline/step-row";
import { TimeAxis } from "~/pages/run/timeline/time-axis";
import classes from "~/pages/run/timeline/waterfall.module.css";

interface WaterfallProps {
  steps: Step[];
  axis: Axis;
  selected: number | undefined;
  declared: Set<string> | null;
  live: boolean;
  /** The time axis is that of the rows in sight. */
  zoomed: boolean;
  onSelect: (sequence: number) => void;
  onZoom: (zoomed: boolean) => void;
}

const ROW = 30;
const NARROW_ROW = 50;
const NARROW = 520;
const TICK_ROOM = 75;
const AXIS_HEIGHT = 26;
const AT_BOTTOM = 24;

/** The steps as rows on one time axis; only those in sight exist. */
export function Waterfall(props: WaterfallProps) {
  const { steps, axis: whole, selected, declared, live, zoomed, onSelect, onZoom } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { ref: measured, width } = useElementSize();
  const narrow = width > 0 && width < NARROW;
  const height = narrow ? NARROW_ROW : ROW;
  const rows = useVirtualizer({
    count: steps.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => steps[index]?.sequence ?? index,
    overscan: 12,
    scrollPaddingStart: AXIS_HEIGHT,
    useFlushSync: false,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new height makes every measurement wrong
  useEffect(() => rows.measure(), [height]);
  useShown(steps, selected, (index, first) =>
    rows.scrollToIndex(index, { align: first ? "center" : "auto" }),
  );
  const { missed, follow, onScroll } = useFollowing(scroller, steps.length, live, selected !== undefined);

  const items = rows.getVirtualItems();
  const active = items.find(({ index }) => steps[index]?.sequence === selected);
  const { startIndex, endIndex } = rows.range ?? { startIndex: 0, endIndex: 0 };
  const axis = useMemo(
    () => (zoomed ? axisOf(steps.slice(startIndex, endIndex + 1), null) : whole),
    [zoomed, steps, startIndex, endIndex, whole],
  );
  const axisWidth = narrow ? width : width - whatWidth(width);
  const ticks = ticksOf(axis.began - whole.began, axis.span, axisWidth / TICK_ROOM).map((at) => ({
    at,
    left: (at + whole.began - axis.began) / axis.span,
  }));
  return (
    <div className={classes.frame}>
      <div className={classes.scroller} ref={scroller} onScroll={onScroll} data-narrow={narrow || undefined}>
        <div ref={measured}>
          <TimeAxis
            ticks={ticks}
            span={axis.span}
            width={axisWidth}
            height={AXIS_HEIGHT}
            zoomed={zoomed}
            onZoom={onZoom}
          />
          <div
            role="listbox"
            aria-label="Steps"
            tabIndex={0}
            aria-activedescendant={active && selected !== undefined ? rowId(selected) : undefined}
            className={classes.rows}
            style={{ height: rows.getTotalSize() }}
          >
            <div className={classes.lines} aria-hidden>
              {ticks.map(({ at, left }) => (
                <span key={at} style={{ left: `${left * 100}%` }} />
              ))}
            </div>
            {items.map(({ index, start, key }) => {
              const step = steps[index];
              return (
                step && (
                  <StepRow
                    key={key}
                    step={step}
                    axis={axis}
                    whole={whole}
                    selected={step.sequence === selected}
                    declared={declared}
                    top={start}
                    height={height}
                    position={index + 1}
                    of={steps.length}
                    onSelect={onSelect}
                  />
                )
              );
            })}
          </div>
        </div>
      </div>
      {missed > 0 && (
        <Button
          className={classes.follow}
          size="compact-xs"
          leftSection={<IconArrowDown size={13} />}
          onClick={follow}
        >
          {missed} new
        </Button>
      )}
    </div>
  );
}

/** Brings the selected step into sight when it is selected, and once when its row first exists. */
function useShown(
  steps: Step[],
  selected: number | undefined,
  show: (index: number, first: boolean) => void,
) {
  const shown = useRef<number | undefined>(undefined);
  const opened = useRef(false);
  useEffect(() => {
    if (selected === shown.current) return;
    if (selected === undefined) {
      shown.current = undefined;
      return;
    }
    const index = steps.findIndex((step) => step.sequence === selected);
    if (index === -1) return;
    shown.current = selected;
    show(index, !opened.current);
    opened.current = true;
  });
}

/**
 * New rows move the view only for a reader who is at its end; others are told how many came. While all rows are in
 * sight, every reader counts as being at the end, except one who has selected a step.
 */
function useFollowing(
  scroller: React.RefObject<HTMLDivElement | null>,
  count: number,
  live: boolean,
  hasSelection: boolean,
) {
  const atBottom = useRef(false);
  const lastTop = useRef(0);
  const [seen, setSeen] = useState(count);

  function toBottom() {
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }

  function onScroll() {
    const element = scroller.current;
    if (element === null) return;
    const isThere = element.scrollHeight - element.scrollTop - element.clientHeight < AT_BOTTOM;
    // Rows that came since make the bottom move away; only going up means that the reader left it.
    if (isThere || element.scrollTop < lastTop.current) atBottom.current = isThere;
    lastTop.current = element.scrollTop;
    if (isThere) setSeen(count);
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the moment at which rows come
  useEffect(() => {
    const element = scroller.current;
    const fits = element !== null && element.scrollHeight - element.clientHeight < AT_BOTTOM;
    if (!live || fits) setSeen(count);
    else if (atBottom.current) {
      toBottom();
      setSeen(count);
    }
    if (fits) atBottom.current = !hasSelection;
  }, [count, live, hasSelection]);

  return { missed: live ? Math.max(count - seen, 0) : 0, follow: toBottom, onScroll };
}

/** As --what in the style sheet. */
function whatWidth(width: number): number {
  return Math.min(Math.max(width * 0.64, 300), 500);
}
