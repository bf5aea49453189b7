import { Button, Kbd, Paper, Text } from "@mantine/core";
import { IconChartDots3, IconCheckbox } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { type ReviewItem, reviewItemQuery } from "~/api/reviews";
import { ToneBadge } from "~/components/badges";
import type { CurlRequest } from "~/components/curl";
import { LeaveGuard } from "~/components/leave-guard";
import { useMayChange } from "~/components/may-change";
import { ButtonLink, Page, TextLink } from "~/components/page";
import { Empty, ErrorState, RowsLoading } from "~/components/states";
import { GivenVerdict, Overtaken, Superseded } from "~/pages/reviews/item/given-verdict";
import { ItemView } from "~/pages/reviews/item/item-view";
import { VerdictForm } from "~/pages/reviews/item/verdict-form";
import { QueueList } from "~/pages/reviews/queue-list";
import { ReviewFilterBar, type ReviewSearch } from "~/pages/reviews/review-filters";
import classes from "~/pages/reviews/reviews.module.css";
import { useQueue } from "~/pages/reviews/use-queue";
import { useTriageKeys } from "~/pages/reviews/use-triage-keys";
import { useVerdicts } from "~/pages/reviews/use-verdicts";
import { meaningOf, VERDICTS } from "~/pages/reviews/verdicts";
import { compact } from "~/shell/search";

const route = getRouteApi("/app/review");

/** The queue on one side, what is looked at on the other, and keys to go through it without a mouse. */
export function ReviewPage() {
  const { item: chosen, ...filters } = route.useSearch();
  const navigate = useNavigate({ from: "/review" });
  const mayChange = useMayChange();
  const queue = useQueue({ status: "open", ...filters }, chosen);
  const listed = queue.items.find(({ id }) => id === chosen);
  const asked = useQuery({
    ...reviewItemQuery(chosen ?? ""),
    enabled: chosen !== undefined,
    ...(listed && { initialData: listed }),
  });
  const item = asked.data;
  const show = (id: string | undefined) =>
    void navigate({
      search: (before) => compact({ ...before, item: id }),
      replace: true,
      resetScroll: false,
    });
  const change = (next: ReviewSearch) =>
    void navigate({ search: (before) => compact({ ...before, item: undefined, ...next }) });
  const clear = () => void navigate({ search: compact({ status: filters.status }) });

  // What is shown stays so, whatever comes into the queue ahead of it.
  const first = chosen === undefined && !queue.stale ? queue.items[0]?.id : undefined;
  useEffect(() => {
    if (first === undefined) return;
    void navigate({
      search: (before) => compact({ ...before, item: first }),
      replace: true,
      resetScroll: false,
    });
  }, [first, navigate]);

  const verdicts = useVerdicts({
    chosen,
    onGiven: ({ id }) => {
      if (id === chosen) show(queue.nextOpen()?.id);
    },
  });
  const column = useRef<HTMLDivElement>(null);
  const notes = useRef<HTMLTextAreaElement>(null);
  const confirm = useRef<HTMLButtonElement>(null);
  const may = mayChange && item?.status === "open";
  const go = (steps: number) => {
    const to = queue.away(steps);
    if (to !== undefined && to.id !== chosen) show(to.id);
    if (steps > 0 && queue.items.at(-2)?.id === chosen && queue.hasMore) queue.more();
  };
  useTriageKeys({
    next: () => go(1),
    previous: () => go(-1),
    choose: (number) => {
      const verdict = VERDICTS[number]?.verdict;
      if (may && verdict) verdicts.change(item.id, { verdict });
    },
    confirm: () => may && verdicts.give(item),
    note: () => notes.current?.focus(),
    clear: () => may && verdicts.change(item.id, { verdict: null }),
  });

  const draft = verdicts.draftOf(chosen ?? "");
  useEffect(() => {
    if (draft.verdict !== null) confirm.current?.focus({ preventScroll: true });
  }, [draft.verdict]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another item begins at its beginning
  useEffect(() => {
    const top = column.current?.getBoundingClientRect().top ?? 0;
    if (top < 0) column.current?.scrollIntoView({ block: "start" });
  }, [chosen]);

  const active = Object.keys(filters).some((name) => name !== "status");
  return (
    <Page
      title="Review"
      marks={
        queue.open !== undefined && (
          <ToneBadge tone={queue.open === 0 ? "green" : "neutral"}>
            {queue.open.toLocaleString("en")} open
          </ToneBadge>
        )
      }
      actions={
        <ButtonLink to="/review/figures" variant="default" leftSection={<IconChartDots3 size={14} />}>
          Precision of flags
        </ButtonLink>
      }
      curl={requests({ status: "open", ...filters }, item)}
    >
      <LeaveGuard unsaved={verdicts.unsaved} />
      <ReviewFilterBar
        search={{ ...filters, item: chosen }}
        onChange={change}
        onClear={clear}
        active={active}
      />
      <div className={classes.page}>
        <Paper
          withBorder
          bg="var(--ody-surface)"
          className={classes.side}
          data-stale={queue.stale || undefined}
        >
          {queue.error ? (
            <ErrorState error={queue.error} retry={queue.retry} />
          ) : queue.pending ? (
            <RowsLoading rows={10} />
          ) : queue.items.length === 0 ? (
            <Nothing status={filters.status ?? "open"} filtered={active} onClear={clear} />
          ) : (
            <QueueList
              label={LIST_NAMES[filters.status ?? "open"]}
              items={queue.items}
              chosen={chosen}
              hasMore={queue.hasMore}
              more={queue.more}
              loadingMore={queue.loadingMore}
            />
          )}
          <Keys />
        </Paper>
        <div ref={column} className={classes.item}>
          <Given item={verdicts.given} />
          {asked.error && !item ? (
            <ErrorState error={asked.error} retry={() => void asked.refetch()} />
          ) : item ? (
            <ItemView key={item.id} item={item}>
              {item.verdict !== null ? (
                <>
                  {draft.problem?.code === "verdict_given" && (
                    <Overtaken
                      given={item.verdict}
                      draft={draft}
                      onGoOn={() => {
                        verdicts.discard(item.id);
                        show(queue.nextOpen()?.id);
                      }}
                    />
                  )}
                  <GivenVerdict given={item.verdict} source={item.source} />
                </>
              ) : item.status === "superseded" ? (
                <Superseded item={item} />
              ) : mayChange ? (
                <VerdictForm
                  item={item}
                  draft={draft}
                  notes={notes}
                  confirm={confirm}
                  onChoose={(verdict) => verdicts.change(item.id, { verdict })}
                  onNotes={(written) => verdicts.change(item.id, { notes: written })}
                  onConfirm={() => verdicts.give(item)}
                />
              ) : (
                <Text size="sm" c="var(--ody-text-dim)">
                  It waits for its verdict. Members and admins give verdicts; you may read.
                </Text>
              )}
            </ItemView>
          ) : (
            chosen !== undefined && <RowsLoading rows={12} />
          )}
        </div>
      </div>
    </Page>
  );
}

/** The last verdict, said once the next item is shown. */
function Given({ item }: { item: ReviewItem | null }) {
  return (
    <div role="status" className={classes.last}>
      {item?.verdict && (
        <Text size="xs" c="var(--ody-text-dim)" className={classes.anywhere}>
          ✓ <b>{meaningOf(item.verdict.verdict).name}</b> is kept for{" "}
          <TextLink
            from="/review"
            to="/review"
            search={(before) => ({ ...before, item: item.id })}
            size="xs"
            underline="always"
          >
            {item.scenario_name}
          </TextLink>
          .
        </Text>
      )}
    </div>
  );
}

const KEYS: [string[], string][] = [
  [["j", "k"], "walk"],
  [["1", "…", "5"], "choose"],
  [["↵"], "confirm"],
  [["n"], "next difference"],
];

function Keys() {
  return (
    <p className={classes.keys} aria-hidden>
      {KEYS.map(([keys, what]) => (
        <span key={what}>
          {keys.map((key) =>
            key === "…" ? (
              key
            ) : (
              <Kbd key={key} size="xs">
                {key}
              </Kbd>
            ),
          )}{" "}
          {what}
        </span>
      ))}
    </p>
  );
}

type Status = ReviewItem["status"];

const LIST_NAMES: Record<Status, string> = {
  open: "Open items",
  decided: "Decided items",
  superseded: "Superseded items",
};

const LET_THROUGH: Record<Status, string> = {
  open: "Nothing that waits for a verdict",
  decided: "No verdict",
  superseded: "Nothing that was superseded",
};

interface NothingProps {
  status: Status;
  filtered: boolean;
  onClear: () => void;
}

function Nothing({ status, filtered, onClear }: NothingProps) {
  const icon = <IconCheckbox size={32} stroke={1.5} />;
  if (filtered) {
    return (
      <Empty
        icon={icon}
        title="Nothing fits"
        action={
          <Button variant="default" onClick={onClear}>
            Clear filters
          </Button>
        }
      >
        {LET_THROUGH[status]} is let through by all filters.
      </Empty>
    );
  }
  if (status === "superseded") {
    return (
      <Empty icon={icon} title="Nothing was superseded">
        What was put here and turned out to be no more, before anybody gave it a verdict, stands here.
      </Empty>
    );
  }
  return status === "decided" ? (
    <Empty icon={icon} title="No verdicts yet">
      What somebody decided stands here, newest first.
    </Empty>
  ) : (
    <Empty icon={icon} title="Nothing waits">
      Flagged cells and incidents of a matrix come here by themselves, and a few of the runs that passed. Any
      eval run can be sent here from its page.
    </Empty>
  );
}

function requests(filters: object, item: ReviewItem | undefined): CurlRequest[] {
  const query = new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, String(value)]));
  return [
    { what: "These items", path: `/api/v1/review/items?${query}` },
    ...(item === undefined
      ? []
      : [
          { what: "This item", path: `/api/v1/review/items/${item.id}` },
          {
            what: "Say what it is, once",
            method: "POST" as const,
            path: `/api/v1/review/items/${item.id}/verdict`,
            body: { verdict: "true_positive", notes: "" },
          },
        ]),
  ];
}
