"""What graders may go by, read from the journal: only what the platform itself saw counts as done."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgent, CompiledAgents
from odyssey.grading.evidence import ACCEPTED, Evidence, ObservedCall, is_mutating
from odyssey.journal.models import Event, RunContext
from odyssey.library.models import Task
from odyssey.records.ledger import Operation
from odyssey.runs.models import Run
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import fold
from odyssey.worlds.repository import SharedWorlds, load_entries

_UNKNOWN = {
    "error": {"code": "outcome_unknown", "message": "It was sent to a live service; no answer is recorded."}
}


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
        calls=tuple(_calls(events, agent, before)),
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
        Event.run_id == run.id, Event.attempt == run.attempt, Event.kind.in_(("tool_call", "forward"))
    )
    return (await session.scalars(statement.order_by(Event.sequence))).all()


def _calls(events: Sequence[Event], agent: CompiledAgent, world: Ledger) -> Iterator[ObservedCall]:
    """Read every call once: by its record, or by its forward where there is none."""
    decoded = [(event, msgspec.json.decode(event.data)) for event in events if event.repeats is None]
    answered = {data.get("forward") for _, data in decoded}
    for event, data in decoded:
        if event.kind == "tool_call":
            yield _observed(event, data, agent, world)
        elif event.sequence not in answered:
            yield _unanswered(event, data)


def _observed(event: Event, data: dict[str, Any], agent: CompiledAgent, world: Ledger) -> ObservedCall:
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


def _unanswered(event: Event, data: dict[str, Any]) -> ObservedCall:
    """A call that went out: what it did nobody knows, so it counts as done."""
    return ObservedCall(
        sequence=event.sequence,
        tool=data["tool_name"],
        arguments=data["arguments"],
        source="forward",
        http_status=ACCEPTED,
        response=_UNKNOWN,
        mutating=not data["endpoint"]["read_only"],
        actor_id=event.actor_id,
    )
