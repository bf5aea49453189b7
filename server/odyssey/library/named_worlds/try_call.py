"""Trying a call on a world: the answer a run would get as its first, on a fork that nobody keeps."""

import asyncio
import time
from typing import Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents, CompiledTool, compile_tool
from odyssey.agents.definition import read_tools
from odyssey.agents.repository import get_agent
from odyssey.core.database import Database
from odyssey.core.errors import ValidationFailedError
from odyssey.journal.contents import load_conduct
from odyssey.kit.ids import new_random_seed
from odyssey.library.models import StoredWorld
from odyssey.library.named_worlds.repository import get_world
from odyssey.library.named_worlds.schemas import TryIn
from odyssey.proxy.answering import CallContext, CallOutcome, NeedsModel, answer, ask, check_arguments
from odyssey.records.faults import Faults, did_you_mean, shown
from odyssey.records.ledger import ConsistencyMode
from odyssey.records.problems import FaultList, FieldError
from odyssey.records.tools import LedgerSchema, declared_types
from odyssey.simulation.behaviours import EMPTY, read_behaviours
from odyssey.simulation.choosing import Manner
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.llm import LlmEngine
from odyssey.simulation.programs import read_program
from odyssey.simulation.rules import RuleCounters, read_rules
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import difference
from odyssey.worlds.repository import SharedWorlds

_FIRST = 1


class _AgentSide(NamedTuple):
    """What stands on the agent's side of the call."""

    tool: CompiledTool
    tools: frozenset[str]
    manner: Manner
    """Without the behaviours, which are the world's."""
    ledger_schema: LedgerSchema | None = None
    mode: ConsistencyMode = "warn"
    actor: str | None = None


class TryingParts(NamedTuple):
    database: Database
    worlds: SharedWorlds
    agents: CompiledAgents
    llm: LlmEngine


async def try_call(parts: TryingParts, org_id: int, world_id: int, body: TryIn) -> dict[str, Any]:
    """Answer the call; the members of the result are those of `TriedOut`. No session is held while a model is asked."""
    async with parts.database.read() as session:
        context = await _context(session, parts, await get_world(session, org_id, world_id), body)
    outcome = await asyncio.to_thread(answer, context)
    if isinstance(outcome, NeedsModel):
        told = await ask(parts.llm, outcome, org_id=org_id, run_id=None)
        outcome = told.outcome(outcome)
    return _told(context.ledger, outcome)


async def _context(session: AsyncSession, parts: TryingParts, world: StoredWorld, body: TryIn) -> CallContext:
    started = time.perf_counter()
    side = await _side(session, parts.agents, world.org_id, body)
    check_arguments(side.tool, body.arguments, "arguments")
    ledger = await parts.worlds.boot(session, world.org_id, world.state_hash)
    conduct = await load_conduct(session, world.org_id, world.conduct_hash)
    rules = read_rules(conduct.failure_rules).rules
    call = ToolCall(
        tool=side.tool.tool,
        arguments=body.arguments,
        ledger_schema=side.ledger_schema,
        random_seed=new_random_seed() if body.random_seed is None else body.random_seed,
        sequence=_FIRST,
        actor=side.actor,
    )
    return CallContext(
        call=call,
        output_schema=side.tool.output_schema,
        ledger=ledger,
        rules=rules,
        counters=RuleCounters.start(rules),
        manner=await asyncio.to_thread(_manner, side, body, conduct.behavior_instructions, ledger),
        mode=side.mode,
        started=started,
    )


def _manner(side: _AgentSide, body: TryIn, stored: str, ledger: Ledger) -> Manner:
    """How the tool behaves: as it is stored, or as it is only being written."""
    types = frozenset([*declared_types(side.ledger_schema), *ledger.entity_types()])
    given = stored if body.behavior_instructions is None else body.behavior_instructions
    read = read_behaviours(given, tools=side.tools, types=types)
    faults = Faults("program")
    programs = dict(side.manner.programs)
    if body.program is not None:
        program = read_program(body.program, faults, tool=side.tool.tool)
        if program is not None:
            programs[side.tool.tool.name] = program
    if read.errors or faults.found:
        raise ValidationFailedError(FaultList.of(read.errors, faults.found))
    if body.engine == "program" and side.tool.tool.name not in programs:
        raise _refusal("engine", f"{side.tool.tool.name} has no program; give one as program")
    manner = side.manner._replace(programs=programs, behaviours=read.behaviours)
    # What is given is what is to be tried.
    engine = body.engine or ("program" if body.program is not None else None)
    return manner if engine is None else manner._replace(engine=engine, engines={})


async def _side(session: AsyncSession, agents: CompiledAgents, org_id: int, body: TryIn) -> _AgentSide:
    if (body.agent_id is None) == (body.tools_schema is None):
        raise _refusal("agent_id", "give either agent_id or tools_schema")
    if body.agent_id is None:
        tools, ledger_schema = read_tools(body.tools_schema, body.ledger_schema)
        by_name = {tool.name: tool for tool in tools}
        if body.tool not in by_name:
            raise _unknown_tool(body.tool, list(by_name))
        tool = compile_tool(by_name[body.tool])
        return _AgentSide(tool, frozenset(by_name), Manner({}, EMPTY), ledger_schema)
    if body.ledger_schema is not None:
        raise _refusal("ledger_schema", "the agent has its own; give it only with tools_schema")
    agent = await get_agent(session, org_id, body.agent_id)
    compiled = await agents.get(session, agent.id, agent.published_version or agent.version)
    declared = compiled.tools.get(body.tool)
    if declared is None:
        raise _unknown_tool(body.tool, list(compiled.tools))
    return _AgentSide(
        tool=declared,
        tools=frozenset(compiled.tools),
        manner=await compiled.manner("", ()),
        ledger_schema=compiled.ledger_schema,
        mode=compiled.config.consistency_mode,
        actor=compiled.owners.get(body.tool),
    )


def _told(before: Ledger, outcome: CallOutcome) -> dict[str, Any]:
    envelope = outcome.envelope
    return {
        "source": envelope["source"],
        "response": envelope["response"],
        "matched_rule_index": envelope["matched_rule_index"],
        "fault": outcome.fault,
        "latency_ms": envelope["latency_ms"],
        "validation": envelope.get("validation"),
        "reading": None if outcome.reading is None else msgspec.to_builtins(outcome.reading),
        "explanation": outcome.explanation,
        "operations": outcome.operations,
        "violations": outcome.violations,
        "model": outcome.beside.get("model"),
        "difference": difference(before, outcome.ledger or before),
    }


def _unknown_tool(name: str, known: list[str]) -> ValidationFailedError:
    return _refusal("tool", f"there is no tool {shown(name)}{did_you_mean(name, known)}")


def _refusal(member: str, message: str) -> ValidationFailedError:
    return ValidationFailedError([FieldError(loc=(member,), msg=message)])
