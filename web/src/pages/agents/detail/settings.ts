import type { Agent } from "~/api/queries";
import { isObject } from "~/components/rules/json-text";
import { configFields } from "~/pages/agents/form/draft";

export interface SubAgent {
  actorId: string;
  tools: string[];
  talksTo: string[];
}

/** The config as the page shows it; members at their default are not stored, so they are filled in here. */
export function readSettings(agent: Agent) {
  const fields = configFields(agent.config);
  return {
    endpointUrl: fields.endpointUrl || null,
    authHeaderName: fields.authHeaderName || null,
    timeoutS: Number(fields.runTimeoutS),
    guarded: fields.guarded,
    consistencyMode: fields.consistencyMode,
    engine: fields.engine,
    engines: fields.engines,
    programs: isObject(fields.programs.value) ? fields.programs.value : {},
    entry: fields.topology?.entry ?? null,
    subAgents: fields.subAgents.map(
      ({ actorId, tools, talksTo }): SubAgent => ({ actorId, tools: tools ?? [], talksTo: talksTo ?? [] }),
    ),
  };
}
