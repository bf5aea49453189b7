"""What graders may go by, read from the journal: only what the platform itself saw counts as done."""

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgent, CompiledAgents
from odyssey.grading.evidence import Evidence, ObservedCall
from odyssey.grading.mutating import is_mutating
from odyssey.journal.models import Event, RunContext
from odyssey.records.ledger import Operation
from odyssey.runs.models import Run, Task
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import fold
from odyssey.worlds.repository import load_entries
from odyssey.worlds.shared import SharedWorlds


async def load_evidence(
    session: AsyncSession, worlds: SharedWorlds, agents: CompiledAgents, run: Run, task: Task
) -> Evidence:
    """Read the last attempt: earlier ones were lost, and what they did was undone with them."""
    agent = await agents.get(session, run.agent_id, run.agent_version)
    before, after = await _world(session, worlds, run)
    events = await _call_events(session, run)
    return Evidence(
        user_instruction=task.seed["user_instruction"],
        expected_outcome=task.seed["expected_outcome"],
        status=run.status,
        error_class=run.error_class,
        final_response=run.final_response,
        messages=run.messages,
        calls=tuple(_observed(event, agent, before) for event in events if event.repeats is None),
        uncounted_calls=sum(event.repeats or 0 for event in events),
        declared_tools=tuple(agent.tools),
        before=before,
        after=after,
    )


async def _world(session: AsyncSession, worlds: SharedWorlds, run: Run) -> tuple[Ledger, Ledger]:
    context = await session.get_one(RunContext, run.id)
    before = await worlds.boot(session, context.org_id, context.initial_state_hash)
    entries = await load_entries(session, run.id, run.attempt)
    return before, fold(before, (placed.entry for placed in entries))


async def _call_events(session: AsyncSession, run: Run) -> Sequence[Event]:
    statement = select(Event).where(
        Event.run_id == run.id, Event.attempt == run.attempt, Event.kind == "tool_call"
    )
    return (await session.scalars(statement.order_by(Event.sequence))).all()


def _observed(event: Event, agent: CompiledAgent, world: Ledger) -> ObservedCall:
    data: dict[str, Any] = msgspec.json.decode(event.data)
    tool = agent.tools.get(data["tool_name"])
    return ObservedCall(
        sequence=event.sequence,
        tool=data["tool_name"],
        arguments=data.get("arguments"),
        source=data.get("source"),
        http_status=data["http_status"],
        response=data.get("response"),
        operations=tuple(msgspec.convert(data.get("operations", ()), tuple[Operation, ...])),
        mutating=is_mutating(data, None if tool is None else tool.tool, agent.ledger_schema, world),
        actor_id=event.actor_id,
    )
