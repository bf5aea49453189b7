import { Button, Group, Kbd, Stack, Text } from "@mantine/core";
import { IconArchive, IconGavel, IconUsers } from "@tabler/icons-react";
import type { GivenVerdict as Given, ReviewItem, Source } from "~/api/reviews";
import { Banner } from "~/components/banner";
import { PlainText } from "~/components/section";
import { Ago } from "~/components/time";
import { VerdictMark } from "~/pages/reviews/marks";
import classes from "~/pages/reviews/reviews.module.css";
import type { Draft } from "~/pages/reviews/use-verdicts";
import { meaningOf } from "~/pages/reviews/verdicts";

/** What somebody said of an item. */
export function GivenVerdict({ given, source }: { given: Given; source: Source }) {
  const { does } = meaningOf(given.verdict, source);
  return (
    <section className={classes.given} aria-label="Verdict">
      <Group gap="xs">
        <IconGavel size={16} aria-hidden />
        <VerdictMark verdict={given.verdict} />
        <Text size="sm" className={classes.anywhere}>
          by <b>{given.reviewer}</b>, <Ago at={given.decided_at} />
        </Text>
      </Group>
      <Text size="xs" c="var(--ody-text-dim)">
        {does}
      </Text>
      {given.notes !== "" && <PlainText text={given.notes} label="Notes of the verdict" />}
    </section>
  );
}

/** It waits for nothing: no verdict can be given, and none is missing. */
export function Superseded({ item }: { item: ReviewItem }) {
  return (
    <Banner tone="neutral" icon={<IconArchive size={18} aria-hidden />} label="Superseded">
      <Text size="sm">
        Superseded
        {item.superseded_at !== null && (
          <>
            {" "}
            <Ago at={item.superseded_at} />
          </>
        )}
        : more baselines have shown that this run is not above the threshold. It waits for no verdict; to have
        it looked at all the same, send its run to review.
      </Text>
    </Banner>
  );
}

interface OvertakenProps {
  given: Given;
  draft: Draft;
  onGoOn: () => void;
}

/** Somebody else was quicker: theirs stands, and what one was about to say is not lost. */
export function Overtaken({ given, draft, onGoOn }: OvertakenProps) {
  const same = draft.verdict === given.verdict;
  return (
    <Banner tone="live" icon={<IconUsers size={18} aria-hidden />} label="Somebody was quicker">
      <Stack gap={6} align="flex-start">
        <Text size="sm" className={classes.anywhere} role="alert">
          <b>{given.reviewer}</b> was quicker and called this item{" "}
          <b>{meaningOf(given.verdict).name.toLowerCase()}</b>
          {same ? ", as you were about to." : "."} The first verdict stays, so yours was not saved.
          {!same && " If you see it otherwise, send its run to review again: both verdicts are kept."}
        </Text>
        {draft.notes.trim() !== "" && <PlainText text={draft.notes} label="Your notes" />}
        <Button size="compact-xs" variant="default" onClick={onGoOn}>
          Go on
          <Kbd size="xs" className={classes.key} aria-hidden>
            j
          </Kbd>
        </Button>
      </Stack>
    </Banner>
  );
}
