import { Button, Group, Kbd, Text, Textarea, UnstyledButton } from "@mantine/core";
import { IconGavel } from "@tabler/icons-react";
import type { CSSProperties, RefObject } from "react";
import { messageAt } from "~/api/problem";
import { MOST_NOTES, type ReviewItem, type Verdict } from "~/api/reviews";
import { toneColor } from "~/components/badges";
import { Refusal } from "~/components/refusal";
import classes from "~/pages/reviews/reviews.module.css";
import type { Draft } from "~/pages/reviews/use-verdicts";
import { meaningOf, VERDICTS } from "~/pages/reviews/verdicts";

interface VerdictFormProps {
  item: ReviewItem;
  draft: Draft;
  onChoose: (verdict: Verdict) => void;
  onNotes: (notes: string) => void;
  onConfirm: () => void;
  notes: RefObject<HTMLTextAreaElement | null>;
  confirm: RefObject<HTMLButtonElement | null>;
}

/** Five verdicts, notes, and a second step that sends it: what is sent stays. */
export function VerdictForm({ item, draft, onChoose, onNotes, onConfirm, notes, confirm }: VerdictFormProps) {
  const chosen = draft.verdict === null ? null : meaningOf(draft.verdict, item.source);
  const fault = draft.problem && messageAt(draft.problem.errors, "notes");
  return (
    <section className={classes.verdict} aria-label="Your verdict">
      {/* biome-ignore lint/a11y/useSemanticElements: not a set of fields */}
      <div className={classes.choices} role="group" aria-label="Verdicts">
        {VERDICTS.map(({ verdict, name, tone, of }, index) => (
          <UnstyledButton
            key={verdict}
            className={classes.choice}
            style={{ "--tone": toneColor(tone), "--tone-soft": toneColor(tone, true) } as CSSProperties}
            data-unusual={!of.includes(item.source) || undefined}
            aria-pressed={draft.verdict === verdict}
            aria-keyshortcuts={String(index + 1)}
            disabled={draft.sending}
            onClick={() => onChoose(verdict)}
          >
            <Kbd size="xs" aria-hidden>
              {index + 1}
            </Kbd>
            <b>{name}</b>
            <span className={classes.say}>{meaningOf(verdict, item.source).say}</span>
          </UnstyledButton>
        ))}
      </div>
      <div className={classes.giving}>
        <Textarea
          ref={notes}
          aria-label="Notes"
          placeholder="Notes: what you saw (m)"
          size="xs"
          autosize
          minRows={1}
          maxRows={6}
          maxLength={MOST_NOTES}
          disabled={draft.sending}
          value={draft.notes}
          onChange={({ currentTarget }) => onNotes(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat) onConfirm();
          }}
          error={fault}
        />
        <Button
          ref={confirm}
          leftSection={<IconGavel size={14} />}
          disabled={chosen === null}
          loading={draft.sending}
          onClick={onConfirm}
        >
          {chosen === null ? "Choose a verdict" : `Confirm: ${chosen.name.toLowerCase()}`}
          {chosen !== null && (
            <Kbd size="xs" className={classes.key} aria-hidden>
              ↵
            </Kbd>
          )}
        </Button>
      </div>
      {draft.problem && !fault && <Refusal error={draft.problem} title="Not saved" />}
      <Group gap={4} className={classes.does} role="status">
        <Text size="xs" c="var(--ody-text-dim)">
          {chosen === null
            ? "A verdict is kept under your name and is never changed."
            : `${chosen.does} Once confirmed, it stays.`}
        </Text>
      </Group>
    </section>
  );
}
