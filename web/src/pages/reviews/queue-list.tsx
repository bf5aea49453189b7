import { Button, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import type { ReviewItem } from "~/api/reviews";
import { ToneBadge, toneColor } from "~/components/badges";
import { figure } from "~/components/evals/figures";
import { variationName } from "~/components/evals/names";
import { bandOf } from "~/pages/reviews/item/item-figures";
import { SourceMark, VerdictMark } from "~/pages/reviews/marks";
import classes from "~/pages/reviews/reviews.module.css";

interface QueueListProps {
  label: string;
  items: ReviewItem[];
  chosen: string | undefined;
  hasMore: boolean;
  more: () => void;
  loadingMore: boolean;
}

/** The queue, one dense row per item; the chosen one is kept in sight. */
export function QueueList({ label, items, chosen, hasMore, more, loadingMore }: QueueListProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const row = chosen && list.current?.querySelector<HTMLElement>("[data-chosen]");
    if (row && list.current) bringInto(list.current, row);
  }, [chosen]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <ul ref={list} className={classes.list} aria-label={label} tabIndex={0} data-scrolls>
      {items.map((item) => (
        <li key={item.id}>
          <Link
            from="/review"
            to="/review"
            search={(before) => ({ ...before, item: item.id })}
            replace
            resetScroll={false}
            className={classes.row}
            data-chosen={item.id === chosen || undefined}
          >
            <Row item={item} />
          </Link>
        </li>
      ))}
      {hasMore && (
        <li>
          <Group justify="center" py="xs">
            <Button variant="default" size="compact-xs" onClick={more} loading={loadingMore}>
              Show more
            </Button>
          </Group>
        </li>
      )}
    </ul>
  );
}

function Row({ item }: { item: ReviewItem }) {
  return (
    <>
      <span className={classes.line}>
        <span className={classes.name} title={item.scenario_name}>
          {item.scenario_name}
        </span>
        <SourceMark item={item} brief />
      </span>
      <span className={classes.line}>
        <span className={classes.under}>
          <span className={classes.risk} data-risk={item.risk_level}>
            {item.risk_level}
          </span>
          {item.variation_type === null ? "baseline" : variationName(item.variation_type)}
          {item.rule_set !== null && `, ${item.rule_set}`}
        </span>
        <End item={item} />
      </span>
    </>
  );
}

/** What an item comes to: its verdict, that it needs none any more, what was done, or how far it moved. */
function End({ item }: { item: ReviewItem }) {
  if (item.verdict !== null) return <VerdictMark verdict={item.verdict.verdict} />;
  if (item.status === "superseded") return <ToneBadge tone="neutral">superseded</ToneBadge>;
  if (item.incident !== null)
    return <span className={classes.kind}>{item.incident.replaceAll("_", " ")}</span>;
  return <ShiftMark item={item} />;
}

function ShiftMark({ item }: { item: ReviewItem }) {
  if (item.shift === null) return null;
  return (
    <span
      className={classes.shift}
      style={{ color: toneColor(bandOf(item) ?? "neutral") }}
      title={item.interval === null ? "Raw shift" : "Shift"}
    >
      {figure(item.shift)}
    </span>
  );
}

/** Scrolls the list and nothing around it. */
function bringInto(list: HTMLElement, row: HTMLElement) {
  const { top, bottom } = row.getBoundingClientRect();
  const frame = list.getBoundingClientRect();
  if (top < frame.top) list.scrollTop -= frame.top - top;
  else if (bottom > frame.bottom) list.scrollTop += bottom - frame.bottom;
}
