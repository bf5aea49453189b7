import { Button, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, data } from "~/api/client";
import { sessionQuery } from "~/api/queries";
import { REVIEWS, type SuggestedThreshold } from "~/api/reviews";
import { type SettingsChange, settingsQuery } from "~/api/settings";
import { RiskBadge } from "~/components/evals/risk";
import { Panel } from "~/components/page";
import { Refusal } from "~/components/refusal";
import classes from "~/pages/reviews/reviews.module.css";

const WIDTH = 300;
const HEIGHT = 46;
const EDGE = 8;
const TRACK_Y = 20;
const TRACK = 10;

/** What each risk is flagged above, and what the verdicts would rather have. */
export function Thresholds({ thresholds }: { thresholds: SuggestedThreshold[] }) {
  const { data: session } = useQuery(sessionQuery);
  const isAdmin = session?.person.role === "admin";
  const client = useQueryClient();
  const use = useMutation({
    mutationFn: ({ risk_level, suggested }: SuggestedThreshold) => {
      const body = { evals: { thresholds: { [risk_level]: suggested } } } as SettingsChange;
      return data(api.PUT("/api/settings", { body }));
    },
    onSuccess: async (settings, { risk_level }) => {
      client.setQueryData(settingsQuery.queryKey, settings);
      await client.invalidateQueries({ queryKey: REVIEWS });
      const now = settings.evals.thresholds[risk_level];
      notifications.show({ message: `From now on, ${risk_level} risk is flagged above ${now}.` });
    },
  });
  return (
    <Panel title="Thresholds" flush>
      <ul className={classes.thresholds} aria-label="Thresholds">
        {thresholds.map((threshold) => (
          <li key={threshold.risk_level} aria-label={threshold.risk_level}>
            <span>
              <RiskBadge level={threshold.risk_level} />
            </span>
            <Scale of={threshold} />
            <Text size="sm">{threshold.explanation}</Text>
            {threshold.suggested !== null &&
              (isAdmin ? (
                <Button
                  loading={use.isPending && use.variables.risk_level === threshold.risk_level}
                  disabled={use.isPending}
                  onClick={() => use.mutate(threshold)}
                >
                  Use {threshold.suggested}
                </Button>
              ) : (
                <Text size="xs" c="var(--ody-text-dim)">
                  An admin can use it.
                </Text>
              ))}
          </li>
        ))}
      </ul>
      <Refusal error={use.error} title="Not changed" />
      <Text size="xs" c="var(--ody-text-dim)" className={classes.note}>
        A suggestion is the threshold that differs least often from the verdicts. It changes nothing by
        itself, and items already in the queue keep the threshold they had. Wrong flags push it up; misses
        among samples and submissions pull it down.
      </Text>
    </Panel>
  );
}

/** From 0 to 1: what is flagged, above which shift, and where the verdicts would draw the line. */
function Scale({ of: { present, suggested, risk_level } }: { of: SuggestedThreshold }) {
  const x = (value: number) => EDGE + value * (WIDTH - 2 * EDGE);
  const words = `Flagged above ${present}${suggested === null ? "" : `, suggested ${suggested}`}`;
  const top = suggested === null ? TRACK_Y - 6 : 0;
  const line = { y1: TRACK_Y - 4, y2: TRACK_Y + TRACK + 4 };
  return (
    <svg
      className={classes.scale}
      viewBox={`0 ${top} ${WIDTH} ${HEIGHT - top}`}
      role="img"
      aria-label={`${risk_level}: ${words}`}
    >
      <rect className={classes.track} x={x(0)} y={TRACK_Y} width={x(1) - x(0)} height={TRACK} rx={3} />
      <rect
        className={classes.flagged}
        x={x(present)}
        y={TRACK_Y}
        width={x(1) - x(present)}
        height={TRACK}
        rx={3}
      />
      <line className={classes.present} x1={x(present)} x2={x(present)} {...line} />
      <text x={x(present)} y={HEIGHT - 1} textAnchor="middle">
        now {present}
      </text>
      {suggested !== null && (
        <>
          <line className={classes.proposed} x1={x(suggested)} x2={x(suggested)} {...line} />
          <text
            className={classes.suggested}
            x={x(suggested)}
            y={TRACK_Y - 8}
            textAnchor={suggested < 0.2 ? "start" : suggested > 0.8 ? "end" : "middle"}
          >
            suggested {suggested}
          </text>
        </>
      )}
    </svg>
  );
}
