"""Trying a call on a world: the answer a run would get as its first, on a fork that nobody keeps."""

import time
from typing import Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents, CompiledTool, compile_tool
from odyssey.agents.definition import read_tools
from odyssey.agents.repository import get_agent
from odyssey.core.errors import ValidationFailedError
from odyssey.journal.conduct import load_conduct
from odyssey.kit.ids import new_random_seed
from odyssey.proxy.answering import Asked, Outcome, answer, check_arguments
from odyssey.records.faults import did_you_mean, shown
from odyssey.records.ledger import ConsistencyMode
from odyssey.records.problems import FieldError
from odyssey.records.tools import LedgerSchema
from odyssey.runs.named_worlds.models import World
from odyssey.runs.named_worlds.schemas import TryIn
from odyssey.simulation.engine import Engine
from odyssey.simulation.rules import RuleCounters, read_rules
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import difference
from odyssey.worlds.shared import SharedWorlds

_FIRST = 1


class _Side(NamedTuple):
    """What stands on the agent's side of the call."""

    tool: CompiledTool
    ledger_schema: LedgerSchema | None = None
    mode: ConsistencyMode = "warn"
    actor: str | None = None


class TryingParts(NamedTuple):
    worlds: SharedWorlds
    agents: CompiledAgents
    engine: Engine


async def try_call(session: AsyncSession, parts: TryingParts, world: World, body: TryIn) -> dict[str, Any]:
    """Answer the call; the members of the result are those of `TriedOut`."""
    started = time.perf_counter()
    side = await _side(session, parts.agents, world.org_id, body)
    check_arguments(side.tool, body.arguments, "arguments")
    ledger = await parts.worlds.boot(session, world.org_id, world.state_hash)
    rules = read_rules((await load_conduct(session, world.org_id, world.conduct_hash)).failure_rules).rules
    asked = Asked(
        tool=side.tool,
        arguments=body.arguments,
        actor=side.actor,
        ledger=ledger,
        rules=rules,
        counters=RuleCounters.start(rules),
        calls=(),
        random_seed=new_random_seed() if body.random_seed is None else body.random_seed,
        sequence=_FIRST,
        ledger_schema=side.ledger_schema,
        mode=side.mode,
        started=started,
    )
    return _told(ledger, answer(parts.engine, asked))


async def _side(session: AsyncSession, agents: CompiledAgents, org_id: int, body: TryIn) -> _Side:
    if (body.agent_id is None) == (body.tools_schema is None):
        raise _refusal("agent_id", "give either agent_id or tools_schema")
    if body.agent_id is None:
        tools, ledger_schema = read_tools(body.tools_schema, body.ledger_schema)
        by_name = {tool.name: tool for tool in tools}
        if body.tool not in by_name:
            raise _unknown_tool(body.tool, list(by_name))
        return _Side(compile_tool(by_name[body.tool]), ledger_schema)
    if body.ledger_schema is not None:
        raise _refusal("ledger_schema", "the agent has its own; give it only with tools_schema")
    agent = await get_agent(session, org_id, body.agent_id)
    compiled = await agents.get(session, agent.id, agent.published_version or agent.version)
    tool = compiled.tools.get(body.tool)
    if tool is None:
        raise _unknown_tool(body.tool, list(compiled.tools))
    actor = compiled.owners.get(body.tool)
    return _Side(tool, compiled.ledger_schema, compiled.config.consistency_mode, actor)


def _told(before: Ledger, outcome: Outcome) -> dict[str, Any]:
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
        "difference": difference(before, outcome.ledger or before),
    }


def _unknown_tool(name: str, known: list[str]) -> ValidationFailedError:
    return _refusal("tool", f"there is no tool {shown(name)}{did_you_mean(name, known)}")


def _refusal(member: str, message: str) -> ValidationFailedError:
    return ValidationFailedError([FieldError(loc=(member,), msg=message)])
