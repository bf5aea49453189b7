"""Behaviours over HTTP: how lines are understood, before anything goes by them."""

import asyncio
from collections.abc import Collection

import msgspec
from fastapi import Response
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import AgentsDep, CompiledAgents
from odyssey.agents.definition import read_tools
from odyssey.agents.repository import get_agent
from odyssey.core.depends import ReadSession
from odyssey.core.errors import ValidationFailedError
from odyssey.identity.guard import GuardedRouter, Member
from odyssey.library.behaviours import BehaviorsIn, BehaviorsOut, KnownNames, known_of, take_behavior
from odyssey.library.named_worlds.repository import get_world
from odyssey.records.problems import FieldError
from odyssey.records.tools import LedgerSchema
from odyssey.simulation.behaviours import read_behaviours

router = GuardedRouter(prefix="/api/behaviors", tags=["behaviors"])


@router.post("/read", response_model=BehaviorsOut)
async def read_lines(body: BehaviorsIn, caller: Member, session: ReadSession, agents: AgentsDep) -> Response:
    """Say of every line what it means, or why it is not understood and what to do. Nothing is saved.

    Tools are known with an agent or tools, types with an agent that declares some or with a world; without them no name
    is doubted.
    """
    known = await _known(session, agents, caller.org_id, body)
    read = await asyncio.to_thread(_read, body, known)
    return Response(msgspec.json.encode(read), media_type="application/json")


async def _known(session: AsyncSession, agents: CompiledAgents, org_id: int, body: BehaviorsIn) -> KnownNames:
    tools: Collection[str] | None = None
    schema: LedgerSchema | None = None
    types: Collection[str] = ()
    if body.agent_id is not None and body.tools_schema is not None:
        message = "give either agent_id or tools_schema"
        raise ValidationFailedError([FieldError(loc=("agent_id",), msg=message)])
    if body.agent_id is not None:
        agent = await get_agent(session, org_id, body.agent_id)
        compiled = await agents.get(session, agent.id, agent.published_version or agent.version)
        tools, schema = compiled.tools, compiled.ledger_schema
    elif body.tools_schema is not None:
        tools = [tool.name for tool in read_tools(body.tools_schema, None)[0]]
    if body.world_id is not None:
        types = (await get_world(session, org_id, body.world_id)).entity_counts
    return known_of(tools, schema, types)


def _read(body: BehaviorsIn, known: KnownNames) -> dict[str, object]:
    text, errors = take_behavior(body.behavior_instructions)
    if errors:
        raise ValidationFailedError(errors)
    tools, types = known
    lines = read_behaviours(text, tools=tools, types=types).lines
    return {
        "text": text,
        "lines": [line._asdict() for line in lines],
        "rules": [line.rule for line in lines if line.rule is not None],
        "understood": all(line.problem is None for line in lines),
    }
