"""What a program is tried on: a tool, the world each task starts from, and what a real back end did there."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.agents.compiled import CompiledAgents
from odyssey.agents.repository import get_agent
from odyssey.core.errors import ValidationFailedError
from odyssey.journal.contents import load_text
from odyssey.kit.words import shorten
from odyssey.library.compiling.schemas import MOST_CALLS, RecordedCallsIn, RecordedTaskIn
from odyssey.library.named_worlds.repository import get_world
from odyssey.records.faults import Faults, did_you_mean, shown
from odyssey.records.json_difference import ABSENT, json_differences
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.fidelity import RecordedCall, RecordedChange, RecordedTask, as_recorded
from odyssey.worlds.ledger import Ledger, copy_json

# Where two JSON values first differ, in words for people and for a model.

_SHOWN = 120


def first_difference(expected: Any, got: Any) -> str | None:
    """Say `at $.items[0].price: expected 3, got 4`; None when they are equal."""
    found = next(json_differences(expected, got), None)
    if found is None:
        return None
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step[:_SHOWN]}" for step in found.path)
    return f"at ${path}: expected {_shown(found.before)}, got {_shown(found.after)}"


def _shown(value: Any) -> str:
    if value is ABSENT:
        return "nothing"
    return shorten(msgspec.json.encode(value).decode(), _SHOWN)


_MOST_FAULTS = 5


class Bench(NamedTuple):
    tool: Tool
    ledger_schema: LedgerSchema | None
    state: str
    """As text. A ledger learns while it is asked, so the thread that replays boots one of its own."""
    tasks: Sequence[RecordedTask]

    @property
    def calls(self) -> int:
        """How many recorded calls of the tool there are."""
        return sum(call.tool == self.tool.name for task in self.tasks for call in task.calls)

    def boot(self) -> Ledger:
        return Ledger.adopt(msgspec.json.decode(self.state))


async def set_up(
    session: AsyncSession, agents: CompiledAgents, org_id: int, agent_id: int, body: RecordedCallsIn
) -> Bench:
    """Read what the request names. The agent is taken as it is edited: its newest version."""
    agent = await get_agent(session, org_id, agent_id)
    compiled = await agents.get(session, agent.id, agent.version)
    world = await get_world(session, org_id, body.world_id)
    faults = Faults()
    found = compiled.tools.get(body.tool)
    if found is None:
        hint = did_you_mean(body.tool, compiled.tools)
        faults.add(f"the agent has no tool {shown(body.tool)}{hint}", "tool")
    else:
        _check_calls(body, faults)
    if found is None or faults.found:
        raise ValidationFailedError(faults.found)
    state = await load_text(session, org_id, world.state_hash)
    return Bench(found.tool, compiled.ledger_schema, state, [_task(task) for task in body.calls])


def _check_calls(body: RecordedCallsIn, faults: Faults) -> None:
    calls = [call.tool for task in body.calls for call in task.calls]
    if len(calls) > MOST_CALLS:
        faults.add(f"there are {len(calls)} calls; at most {MOST_CALLS} can be replayed at once", "calls")
    elif body.tool not in calls:
        faults.add(
            f"no recorded call is of the tool {shown(body.tool)}{did_you_mean(body.tool, set(calls))}",
            "calls",
        )


def check_start(bench: Bench) -> None:
    """Refuse tasks that cannot have begun in this world: what is replayed there means nothing.

    Takes time with a large world, so call it in a thread.
    """
    faults, initial = Faults(limit=_MOST_FAULTS), bench.boot()
    for at, task in enumerate(bench.tasks):
        world = initial
        for number, call in enumerate(task.calls):
            misfit = next((one for one in map(partial(_misfit, world), call.changes) if one), None)
            if misfit is not None:
                said = f"task {shown(task.task)}, call {number + 1}: {misfit}; do the tasks start from this world?"
                faults.add(said, "calls", at, "calls", number, "changes")
                break
            world = as_recorded(world, call.changes)
    if faults.found:
        raise ValidationFailedError(faults.found)


def _misfit(world: Ledger, change: RecordedChange) -> str | None:
    if change.before is None:
        return None
    there = world.entity(change.entity_type, change.id)
    entity = f"{shown(change.entity_type)} {shown(change.id)}"
    if there is None:
        return f"{entity} was there before it, and is not here"
    found = first_difference(change.before, copy_json(there))
    return None if found is None else f"{entity} was another before it, {found}"


def _task(task: RecordedTaskIn) -> RecordedTask:
    calls = [
        RecordedCall(
            call.tool,
            call.args,
            call.response,
            call.error,
            [RecordedChange(one.entity_type, one.id, one.before, one.after) for one in call.changes],
        )
        for call in task.calls
    ]
    return RecordedTask(task.task, calls)
