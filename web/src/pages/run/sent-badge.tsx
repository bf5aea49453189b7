import { ToneBadge } from "~/components/badges";
import type { Sent } from "~/pages/run/model/waterfall";

/** What is known of the answer to a call that went out to a live tool. */
export function SentBadge({ sent }: { sent: Sent }) {
  switch (sent.state) {
    case "answered":
      return (
        <ToneBadge tone="neutral" help={`What came of it is step ${sent.step}`}>
          forwarded
        </ToneBadge>
      );
    case "waiting":
      return (
        <ToneBadge tone="live" pulse help="The live tool has been asked and has not answered yet">
          waiting
        </ToneBadge>
      );
    default:
      return (
        <ToneBadge tone="transport_error" help="It went out, and the run ended before an answer was recorded">
          outcome unknown
        </ToneBadge>
      );
  }
}
