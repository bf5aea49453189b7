import type { Batch } from "~/api/batches";
import { StatusBadge, ToneBadge } from "~/components/badges";

export function BatchBadge({ status }: { status: Batch["status"] }) {
  return status === "checking" ? (
    <ToneBadge tone="live" pulse help="The agent is asked whether it is there, before anything is sent to it">
      checking
    </ToneBadge>
  ) : (
    <StatusBadge status={status} />
  );
}
