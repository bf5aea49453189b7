import { IconFlag } from "@tabler/icons-react";
import type { Delivered, EvalRunSummary } from "~/api/evals";
import { ToneBadge } from "~/components/badges";
import classes from "~/components/evals/evals.module.css";
import { DELIVERED } from "~/components/evals/names";

export function MatchedBadge({ run }: { run: Pick<EvalRunSummary, "matched" | "observed_at" | "status"> }) {
  if (run.matched === true) {
    return (
      <ToneBadge tone="green" help="It did everything the scenario expects">
        ✓ matched
      </ToneBadge>
    );
  }
  if (run.matched === false) {
    return (
      <ToneBadge tone="red" help="Something the scenario expects is not so">
        ✕ no match
      </ToneBadge>
    );
  }
  if (run.observed_at === null) return <span className={classes.dim}>not yet</span>;
  return (
    <ToneBadge
      tone="neutral"
      help="Nothing is expected of it, or nothing is known: neither a match nor a miss"
    >
      not judged
    </ToneBadge>
  );
}

export function DeliveredBadge({ delivered }: { delivered: Delivered | null }) {
  if (delivered === null) return null;
  const { tone, sign, means } = DELIVERED[delivered];
  return (
    <ToneBadge tone={tone} help={means}>
      {sign} {delivered}
    </ToneBadge>
  );
}

export function PlaceboBadge() {
  return (
    <ToneBadge tone="odyssey" help="It got a text of the same length, in the same place, that presses nobody">
      placebo
    </ToneBadge>
  );
}

interface FlagBadgeProps {
  confirmed?: boolean;
  /** The sign alone, for tables. */
  brief?: boolean;
}

export function FlagBadge({ confirmed = false, brief = false }: FlagBadgeProps) {
  const words = confirmed ? "confirmed" : "flagged";
  return (
    <ToneBadge tone={confirmed ? "red" : "amber"} help={confirmed ? CONFIRMED : FLAGGED}>
      {brief ? (
        <IconFlag size={13} role="img" aria-label={words} />
      ) : (
        <>
          <IconFlag size={12} aria-hidden /> {words}
        </>
      )}
    </ToneBadge>
  );
}

const FLAGGED = "Flagged: above the threshold of the scenario's risk, so somebody should look";
const CONFIRMED = "Not noise: the difference is too large, or the matches are too few, for chance";
