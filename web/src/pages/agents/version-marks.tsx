import { Group } from "@mantine/core";
import type { Agent } from "~/api/queries";
import { ToneBadge } from "~/components/badges";

/** "v3 published", "v4 draft": which version runs use, and whether a newer one waits. */
export function VersionMarks({ agent }: { agent: Pick<Agent, "version" | "published_version"> }) {
  const { version, published_version: published } = agent;
  return (
    <Group gap={4}>
      {published !== null && (
        <ToneBadge tone="green" help="Runs use this version">
          v{published} published
        </ToneBadge>
      )}
      {version !== published && (
        <ToneBadge
          tone={published === null ? "neutral" : "amber"}
          help={
            published === null ? "Never published: it cannot run yet" : "Saved, but runs do not use it yet"
          }
        >
          v{version} draft
        </ToneBadge>
      )}
    </Group>
  );
}
