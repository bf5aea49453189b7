import { ToneBadge } from "~/components/badges";

export type Mode = "sandbox" | "passthrough";

/** Who answers the calls of a tool. */
export function ModeBadge({ mode }: { mode: Mode }) {
  return mode === "passthrough" ? (
    <ToneBadge tone="passthrough" help="Calls go to the live tool">
      passthrough
    </ToneBadge>
  ) : (
    <ToneBadge tone="odyssey" help="Calls are answered by the simulated world">
      sandbox
    </ToneBadge>
  );
}
