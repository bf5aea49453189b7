"""An agent version made ready for the hot path: parsed and compiled once, then shared by all its runs."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.config import AgentConfig, from_public
from odyssey.agents.repository import get_version
from odyssey.core.depends import part
from odyssey.records.faults import Faults
from odyssey.records.json_schema import CompiledSchema, compile_schema
from odyssey.records.tools import LedgerSchema, Tool, declared_types
from odyssey.simulation.behaviours import EMPTY, read_behaviours
from odyssey.simulation.choosing import Manner
from odyssey.simulation.programs import Program, read_program

_KEPT = 256
_FEW_TOOLS = 16


class CompiledTool(NamedTuple):
    tool: Tool
    input_schema: CompiledSchema
    output_schema: CompiledSchema | None

    @property
    def is_live(self) -> bool:
        """Whether a service answers its calls, and not the simulation."""
        return self.tool.default_execution_mode == "passthrough"


class CompiledAgent(NamedTuple):
    mode: str
    config: AgentConfig
    tools: dict[str, CompiledTool]
    ledger_schema: LedgerSchema | None
    owners: dict[str, str]
    """The sub-agent of each tool that exactly one declared sub-agent owns."""
    programs: dict[str, Program]

    async def manner(self, behaviour: str, entity_types: Iterable[str]) -> Manner:
        """How its tools are simulated in a world that behaves so; many lines take their time to read."""
        behaviours = EMPTY
        if behaviour:
            types = frozenset([*declared_types(self.ledger_schema), *entity_types])
            tools = frozenset(self.tools)
            behaviours = (
                await asyncio.to_thread(read_behaviours, behaviour, tools=tools, types=types)
            ).behaviours
        config = self.config
        return Manner(
            self.programs,
            behaviours,
            config.engine,
            config.engines,
            config.unknown_tools,
            config.ask_model_above,
        )


class CompiledAgents:
    """The most recently used versions; a version never changes, so neither does an entry."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, int], CompiledAgent] = OrderedDict()

    async def get(self, session: AsyncSession, agent_id: int, version: int) -> CompiledAgent:
        key = (agent_id, version)
        found = self._kept.get(key)
        if found is None:
            content = (await get_version(session, agent_id, version)).content
            found = self._kept[key] = await _compiled(content)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return found


AgentsDep = Annotated[CompiledAgents, part(CompiledAgents)]


async def _compiled(content: dict[str, Any]) -> CompiledAgent:
    """Programs and many schemas may be long enough that others should not wait for them."""
    if "programs" in content["config"] or len(content["tools_schema"]) > _FEW_TOOLS:
        return await asyncio.to_thread(compile_agent, content)
    return compile_agent(content)


def compile_agent(content: dict[str, Any]) -> CompiledAgent:
    tools = msgspec.convert(content["tools_schema"], list[Tool])
    config = from_public(content["config"])
    return CompiledAgent(
        mode=str(content["mode"]),
        config=config,
        owners=_owners(config),
        tools={tool.name: compile_tool(tool) for tool in tools},
        programs=_programs(config, tools),
        ledger_schema=msgspec.convert(content["ledger_schema"], LedgerSchema | None),
    )


def _owners(config: AgentConfig) -> dict[str, str]:
    claims = [(tool, actor.actor_id) for actor in config.sub_agents or [] for tool in actor.tools or []]
    count = Counter(tool for tool, _ in claims)
    return {tool: actor for tool, actor in claims if count[tool] == 1}


def _programs(config: AgentConfig, tools: list[Tool]) -> dict[str, Program]:
    """Compile what was read without a fault when it was saved."""
    by_name = {tool.name: tool for tool in tools}
    read = {
        name: read_program(raw, Faults("programs", name), tool=by_name[name])
        for name, raw in config.programs.items()
    }
    return {name: program for name, program in read.items() if program is not None}


def compile_tool(tool: Tool) -> CompiledTool:
    output = None if tool.output_schema is None else compile_schema(tool.output_schema)
    return CompiledTool(tool, compile_schema(tool.input_schema), output)
