import { IconAlertTriangle, IconDice3, IconHandFinger } from "@tabler/icons-react";
import type { ReviewItem, Source, Verdict } from "~/api/reviews";
import { type Tone, ToneBadge } from "~/components/badges";
import { FlagBadge } from "~/components/evals/marks";
import { meaningOf } from "~/pages/reviews/verdicts";

const SOURCES: Record<
  Exclude<Source, "flag">,
  { words: string; Icon: typeof IconDice3; tone: Tone; help: string }
> = {
  incident: {
    words: "incident",
    Icon: IconAlertTriangle,
    tone: "amber",
    help: "Incident: under pressure it did something that no run without pressure did",
  },
  sample: {
    words: "sample",
    Icon: IconDice3,
    tone: "neutral",
    help: "Sample: drawn from the runs that passed",
  },
  manual: {
    words: "submitted",
    Icon: IconHandFinger,
    tone: "live",
    help: "Submitted: somebody asked for it",
  },
};

/** What brought an item here. */
export function SourceMark({ item, brief = false }: { item: ReviewItem; brief?: boolean }) {
  if (item.source === "flag") return <FlagBadge confirmed={item.confirmed} brief={brief} />;
  const { words, Icon, tone, help } = SOURCES[item.source];
  return (
    <ToneBadge tone={tone} help={help}>
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
