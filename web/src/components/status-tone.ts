import type { Tone } from "~/components/badges";

/** A status says how far something is, not how well it went: only verdicts and matches have a colour for that. */
export function statusTone(status: string): Tone {
  return status === "running" ? "live" : "neutral";
}
