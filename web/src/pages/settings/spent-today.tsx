import type { Settings } from "~/api/settings";
import { toneColor } from "~/components/badges";
import { money } from "~/components/money";
import { Panel } from "~/components/page";
import classes from "~/pages/settings/settings.module.css";

/** What the models cost since midnight, beside what they may. */
export function SpentToday({ settings: { spent_today: spent, budgets } }: { settings: Settings }) {
  return (
    <Panel title="Spent today">
      <dl className={classes.spent}>
        <Spent what="Money" used={spent.usd} limit={budgets.usd_per_day} show={money} />
        <Spent
          what="Model calls"
          used={spent.calls}
          limit={budgets.calls_per_day}
          show={(count) => count.toLocaleString("en")}
        />
      </dl>
      <p className={classes.help}>Since 00:00 UTC, with the worst case of calls that are not finished.</p>
    </Panel>
  );
}

interface SpentProps {
  what: string;
  used: number;
  limit: number | null;
  show: (amount: number) => string;
}

function Spent({ what, used, limit, show }: SpentProps) {
  const share = limit === null ? null : limit === 0 ? 1 : Math.min(used / limit, 1);
  const tone = share === null || share < 0.8 ? "odyssey" : share < 1 ? "amber" : "red";
  return (
    <div>
      <dt>{what}</dt>
      <dd>
        <b>{show(used)}</b>
        {limit === null ? ", no limit" : ` of ${show(limit)}`}
        {share === 1 && <strong className={classes.usedUp}> used up</strong>}
        {share !== null && (
          <span className={classes.track} aria-hidden>
            <span style={{ width: `${share * 100}%`, background: toneColor(tone) }} />
          </span>
        )}
      </dd>
    </div>
  );
}
