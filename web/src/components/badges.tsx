import { Tooltip } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "~/components/badges.module.css";
import { statusTone } from "~/components/status-tone";
import type { Source } from "~/theme/palette";

export type Tone = Source | "green" | "amber" | "red" | "neutral" | "live";

const VARIABLE: Record<Tone, string> = {
  odyssey: "source-odyssey",
  injected: "source-injected",
  passthrough: "source-passthrough",
  error: "source-error",
  transport_error: "source-transport_error",
  green: "band-green",
  amber: "band-amber",
  red: "band-red",
  neutral: "tone-neutral",
  live: "tone-live",
};

/** The colour of a tone as CSS, for bars and marks that are not badges. */
export function toneColor(tone: Tone, soft = false): string {
  return `var(--${VARIABLE[tone]}${soft ? "-soft" : ""})`;
}

interface ToneBadgeProps {
  tone: Tone;
  children: ReactNode;
  help?: string | undefined;
  pulse?: boolean;
}

export function ToneBadge({ tone, children, help, pulse = false }: ToneBadgeProps) {
  const badge = (
    <span
      className={classes.badge}
      style={{ color: toneColor(tone), backgroundColor: toneColor(tone, true) }}
      data-pulse={pulse || undefined}
    >
      {children}
    </span>
  );
  return help ? (
    <Tooltip label={help} multiline maw={320}>
      {badge}
    </Tooltip>
  ) : (
    badge
  );
}

const SOURCE_HELP: Record<Source, string> = {
  odyssey: "Answered by the simulated world",
  injected: "Answered by a failure rule",
  passthrough: "Answered by the live tool",
  error: "Refused or failed before an answer existed",
  transport_error: "The live tool gave no usable answer",
};

export function SourceBadge({ source }: { source: string }) {
  const known = source in SOURCE_HELP;
  return (
    <ToneBadge
      tone={known ? (source as Source) : "neutral"}
      help={known ? SOURCE_HELP[source as Source] : undefined}
    >
      {source}
    </ToneBadge>
  );
}

export function StatusBadge({ status }: { status: string }) {
  return (
    <ToneBadge tone={statusTone(status)} pulse={status === "running"}>
      {status}
    </ToneBadge>
  );
}

const VERDICT: Record<string, [Tone, string, string]> = {
  PASS: ["green", "pass", "Everything it was graded by holds"],
  FAIL: ["red", "fail", "Something it was graded by does not hold"],
  PENDING: ["live", "grading", "Grading is under way"],
  "NOT APPLICABLE": ["neutral", "not graded", "Nothing says how well it went: neither a pass nor a fail"],
};

interface VerdictBadgeProps {
  verdict: string;
  /** A run that still goes on has no verdict to wait for yet. */
  running?: boolean;
}

export function VerdictBadge({ verdict, running = false }: VerdictBadgeProps) {
  if (verdict === "PENDING" && running) {
    return (
      <ToneBadge tone="neutral" help="It is graded when it has ended">
        pending
      </ToneBadge>
    );
  }
  const [tone, text, help] = VERDICT[verdict] ?? (["neutral", verdict, undefined] as const);
  return (
    <ToneBadge tone={tone} help={help} pulse={verdict === "PENDING"}>
      {text}
    </ToneBadge>
  );
}
