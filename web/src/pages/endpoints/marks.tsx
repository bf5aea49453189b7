import type { EndpointSummary } from "~/api/endpoints";
import { ToneBadge } from "~/components/badges";
import { counted } from "~/components/counted";

/** What is new about an endpoint: that its tools changed, or that they could not be listed. */
export function DiscoveryMarks({ endpoint }: { endpoint: EndpointSummary }) {
  const { drift, discovery_error: failure } = endpoint;
  return (
    <>
      {failure && (
        <ToneBadge tone="red" help={failure.message}>
          {endpoint.discovered_at === null ? "not discovered" : "discovery failed"}
        </ToneBadge>
      )}
      {drift && (
        <ToneBadge tone="amber" help={driftInWords(drift)}>
          changed
        </ToneBadge>
      )}
    </>
  );
}

export function driftInWords({ added, removed, changed }: NonNullable<EndpointSummary["drift"]>): string {
  const parts = [
    added.length > 0 && `${counted(added.length, "tool")} new`,
    removed.length > 0 && `${counted(removed.length, "tool")} gone`,
    changed.length > 0 && `${counted(changed.length, "tool")} changed`,
  ];
  return parts.filter(Boolean).join(", ");
}
