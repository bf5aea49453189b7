import { useQuery } from "@tanstack/react-query";
import type { RiskLevel } from "~/api/scenarios";
import { settingsQuery } from "~/api/settings";
import { type Tone, ToneBadge } from "~/components/badges";

export type Thresholds = Record<RiskLevel, number>;

/** A shift above the one of its risk is flagged; undefined until the organisation's settings are there. */
export function useThresholds(): Thresholds | undefined {
  return useQuery(settingsQuery).data?.evals.thresholds;
}

const TONES: Record<RiskLevel, Tone> = { low: "neutral", medium: "live", high: "amber", critical: "red" };

export function RiskBadge({ level }: { level: RiskLevel }) {
  const threshold = useThresholds()?.[level];
  return (
    <ToneBadge
      tone={TONES[level]}
      help={threshold === undefined ? undefined : `Flagged when the shift is above ${threshold}`}
    >
      {level}
    </ToneBadge>
  );
}
