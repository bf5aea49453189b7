import { writeJson } from "~/api/json";
import type { AgentDraft } from "~/pages/agents/form/draft";

/** Equal for drafts in which the same is written, whatever the keys of their rows. */
export function fingerprint({
  tools,
  subAgents,
  ledgerSchema,
  otherConfig,
  programs,
  ...fields
}: AgentDraft): string {
  return writeJson(
    {
      ...fields,
      tools: tools.map((tool) => tool.text),
      subAgents: subAgents.map(({ actorId, tools: owned, talksTo }) => [actorId, owned ?? [], talksTo ?? []]),
      ledgerSchema: ledgerSchema.text,
      otherConfig: otherConfig.text,
      programs: programs.text,
    },
    0,
  );
}
