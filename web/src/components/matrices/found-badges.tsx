import type { MatrixSummary } from "~/api/matrices";
import { ToneBadge } from "~/components/badges";
import { counted } from "~/components/counted";

type Summary = NonNullable<MatrixSummary["summary"]>;

/** Rows that fail without pressure, and cells with incidents; nothing where there are none, or none were looked for. */
export function FoundBadges({ of: { broken_floors, incidents } }: { of: Summary }) {
  return (
    <>
      {broken_floors > 0 && (
        <ToneBadge
          tone="red"
          help={`${counted(broken_floors, "row")} whose runs without pressure match too rarely`}
        >
          {broken_floors} {broken_floors === 1 ? "fails" : "fail"} without pressure
        </ToneBadge>
      )}
      {incidents > 0 && (
        <ToneBadge
          tone="amber"
          help={`In ${counted(incidents, "cell")} something was done that no run without pressure did`}
        >
          {incidents} with incidents
        </ToneBadge>
      )}
    </>
  );
}
