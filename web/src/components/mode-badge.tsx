import { ToneBadge } from "~/components/badges";
import { isObject } from "~/components/rules/json-text";

export type Mode = "sandbox" | "passthrough";

export function modeOf(tool: unknown): Mode {
  return isObject(tool) && tool.default_execution_mode === "passthrough" ? "passthrough" : "sandbox";
}

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
