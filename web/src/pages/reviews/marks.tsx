import { IconDice3, IconHandFinger } from "@tabler/icons-react";
import type { ReviewItem, Verdict } from "~/api/reviews";
import { ToneBadge } from "~/components/badges";
import { FlagBadge } from "~/components/evals/marks";
import { meaningOf } from "~/pages/reviews/verdicts";

/** What brought an item here. */
export function SourceMark({ item, brief = false }: { item: ReviewItem; brief?: boolean }) {
  if (item.source === "flag") return <FlagBadge confirmed={item.confirmed} brief={brief} />;
  const sample = item.source === "sample";
  const words = sample ? "sample" : "submitted";
  const Icon = sample ? IconDice3 : IconHandFinger;
  return (
    <ToneBadge
      tone={sample ? "neutral" : "live"}
      help={sample ? "Sample: drawn from the runs that passed" : "Submitted: somebody asked for it"}
    >
      {brief ? (
        <Icon size={13} role="img" aria-label={words} />
      ) : (
        <>
          <Icon size={12} aria-hidden /> {words}
        </>
      )}
    </ToneBadge>
  );
}

export function VerdictMark({ verdict }: { verdict: Verdict }) {
  const { name, tone, does } = meaningOf(verdict);
  return (
    <ToneBadge tone={tone} help={does}>
      {name.toLowerCase()}
    </ToneBadge>
  );
}
