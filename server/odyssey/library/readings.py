"""How the tools of an agent will be read, over HTTP (wire-contract.md#e2)."""

import asyncio
from typing import Annotated, Literal

from fastapi import Query
from pydantic import BaseModel, Field

from odyssey.agents.compiled import AgentsDep, CompiledAgent
from odyssey.agents.definition import read_tools
from odyssey.agents.repository import get_agent
from odyssey.agents.schemas import LedgerSchemaIn, ToolsSchema
from odyssey.core.depends import DatabaseDep, ObjectId, existing_id, part
from odyssey.core.wire import Body
from odyssey.identity.guard import GuardedRouter, Viewer
from odyssey.journal.contents import load_conduct
from odyssey.library.behaviours import known_of, unclear_lines
from odyssey.library.named_worlds.repository import get_world
from odyssey.simulation.behaviours import EMPTY
from odyssey.simulation.choosing import Manner
from odyssey.simulation.llm import LlmEngine
from odyssey.simulation.preview import ToolReading, read_ahead
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.repository import WorldsDep

router = GuardedRouter(prefix="/api/agents", tags=["agents"])


class ToolReadingOut(BaseModel):
    tool: str
    answered_by: Literal["live_service", "program", "behaviour", "world", "model", "nobody"]
    reading: str = Field(description="How a call is read: `reads order by order_id`, or `not understood`.")
    confidence: float | None = Field(
        description="How often answers like these were exactly right on worlds the engine had not seen."
    )
    why: str | None = Field(description="What is not understood.")
    help: list[str] = Field(description="What would help, the cheapest first.")


class ReadingsIn(Body):
    tools_schema: ToolsSchema
    ledger_schema: LedgerSchemaIn = None


class ReadingsOut(BaseModel):
    version: int | None = Field(
        description="Of the agent: its newest; null for tools that are not registered."
    )
    world_id: int | None = Field(description="null: read from what the tools and the ledger schema name.")
    tools: list[ToolReadingOut]
    warnings: list[str] = Field(description="Lines of the world's behaviour that have no effect.")


@router.post("/readings")
async def read_unsaved_tools(
    body: ReadingsIn, caller: Viewer, llm: Annotated[LlmEngine, part(LlmEngine)]
) -> ReadingsOut:
    """Say the same of tools that are not registered yet; nothing is saved."""
    tools, ledger_schema = await asyncio.to_thread(read_tools, body.tools_schema, body.ledger_schema)
    has_model = await llm.is_set(caller.org_id)
    read = await asyncio.to_thread(read_ahead, tools, ledger_schema, Manner({}, EMPTY), has_model=has_model)
    return ReadingsOut(version=None, world_id=None, tools=_told(read), warnings=[])


@router.get("/{agent_id}/readings")
async def get_readings(
    agent_id: ObjectId,
    caller: Viewer,
    database: DatabaseDep,
    agents: AgentsDep,
    worlds: WorldsDep,
    llm: Annotated[LlmEngine, part(LlmEngine)],
    world_id: Annotated[int | None, Query(ge=1, description="A named world to read them in.")] = None,
) -> ReadingsOut:
    """Say of each tool of the newest version how its calls will be read, how surely, and what would help."""
    has_model = await llm.is_set(caller.org_id)
    ledger: Ledger | None = None
    behaviour = ""
    async with database.read() as session:
        agent = await get_agent(session, caller.org_id, agent_id)
        compiled = await agents.get(session, agent.id, agent.version)
        if world_id is not None:
            world = await get_world(session, caller.org_id, existing_id(world_id))
            ledger = await worlds.boot(session, world.org_id, world.state_hash)
            behaviour = (await load_conduct(session, world.org_id, world.conduct_hash)).behavior_instructions
    manner = await compiled.manner(behaviour, () if ledger is None else ledger.entity_types())
    tools = [each.tool for each in compiled.tools.values()]
    read = await asyncio.to_thread(
        read_ahead, tools, compiled.ledger_schema, manner, ledger, has_model=has_model
    )
    return ReadingsOut(
        version=agent.version,
        world_id=world_id,
        tools=_told(read),
        warnings=[] if has_model else _without_effect(behaviour, compiled, ledger),
    )


def _told(readings: list[ToolReading]) -> list[ToolReadingOut]:
    return [ToolReadingOut.model_validate(each, from_attributes=True) for each in readings]


def _without_effect(behaviour: str, agent: CompiledAgent, ledger: Ledger | None) -> list[str]:
    types = () if ledger is None else ledger.entity_types()
    unclear = unclear_lines(behaviour, known_of(agent.tools, agent.ledger_schema, types))
    return [
        f"Line {each.line} of the behaviour has no effect: it is not understood, and no simulator model is set."
        for each in unclear
    ]
