"""Which agent a scenario is run on: the one the request names, else the scenario's, else the only one there is."""

from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.models import Agent
from odyssey.agents.repository import get_agent, list_agents
from odyssey.core.errors import NotFoundError
from odyssey.core.paging import PageRequest
from odyssey.evals.eval_runs.errors import AgentRequiredError
from odyssey.evals.scenarios.content import ScenarioContent
from odyssey.runs.errors import AgentNotPublishedError


class Chosen(NamedTuple):
    agent_id: int
    version: int


async def choose_agent(
    session: AsyncSession, org_id: int, content: ScenarioContent, agent_id: int | None
) -> Chosen:
    agent = await _find(session, org_id, content, agent_id)
    if agent.published_version is None:
        raise AgentNotPublishedError(agent.id)
    return Chosen(agent.id, agent.published_version)


async def _find(session: AsyncSession, org_id: int, content: ScenarioContent, agent_id: int | None) -> Agent:
    if agent_id is not None:
        return await get_agent(session, org_id, agent_id)
    if content.agent_id is not None:
        try:
            return await get_agent(session, org_id, content.agent_id)
        except NotFoundError as error:
            message = f"the scenario's agent {content.agent_id} was deleted; name another with agent_id"
            raise AgentRequiredError(message) from error
    published = (await list_agents(session, org_id, PageRequest(2), status="published")).items
    if len(published) != 1:
        how_many = "no agent is published" if not published else "several agents are published"
        raise AgentRequiredError(f"the scenario names no agent and {how_many}; say which one with agent_id")
    return published[0][0]
