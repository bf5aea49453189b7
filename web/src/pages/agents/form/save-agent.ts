import { api, data } from "~/api/client";
import { asProblem, type Problem } from "~/api/problem";
import type { Agent } from "~/api/queries";
import { type AgentDraft, bodyOf, changeOf } from "~/pages/agents/form/draft";

export interface Saved {
  agent: Agent;
  /** It was saved, but the server would not publish it. */
  notPublished: Problem | null;
}

export async function saveAgent(draft: AgentDraft, saved: Agent | null, publish: boolean): Promise<Saved> {
  const agent =
    saved === null
      ? await data(api.POST("/api/agents", { body: bodyOf(draft) }))
      : await data(
          api.PUT("/api/agents/{agent_id}", {
            params: { path: { agent_id: saved.id }, query: { draft: !publish } },
            body: changeOf(draft, saved),
          }),
        );
  if (!publish || agent.published_version === agent.version) return { agent, notPublished: null };
  try {
    return { agent: await publishAgent(agent.id), notPublished: null };
  } catch (error) {
    return { agent, notPublished: asProblem(error) };
  }
}

export function publishAgent(agentId: number): Promise<Agent> {
  return data(api.POST("/api/agents/{agent_id}/publish", { params: { path: { agent_id: agentId } } }));
}
