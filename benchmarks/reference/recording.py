"""Recordings of a reference world: sessions of calls with what it answered, refused and changed."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

from benchmarks.reference.back_end import BackEnd, RefusedError, State

from odyssey.simulation.fidelity import RecordedCall, RecordedChange, RecordedTask

SESSION = 12
"""Calls of one session; each session begins with the world as it was."""


class Recording(NamedTuple):
    """What `odyssey fidelity` takes."""

    state: State
    tasks: list[RecordedTask]


def record(back_end: BackEnd, seed: int, sessions: int) -> Recording:
    """Make a world and let callers use it; the same seed makes the same recording."""
    random = Random(f"{back_end.name} {seed}")
    state = back_end.begin(random)
    tasks = []
    for session in range(sessions):
        world = deepcopy(state)
        tasks.append(RecordedTask(session, [_call(back_end, world, random) for _ in range(SESSION)]))
    return Recording(state, tasks)


def _call(back_end: BackEnd, world: State, random: Random) -> RecordedCall:
    tool, arguments = back_end.next_call(world, random)
    before = deepcopy(world)
    try:
        response = back_end.call(world, tool, deepcopy(arguments))
    except RefusedError as refused:
        assert world == before, f"{back_end.name}: {tool} was refused and changed the world"
        return RecordedCall(tool, arguments, error=str(refused))
    return RecordedCall(tool, arguments, deepcopy(response), changes=list(_changes(before, world)))


def _changes(before: State, after: State) -> Iterator[RecordedChange]:
    for entity_type in dict.fromkeys([*before, *after]):
        was, now = before.get(entity_type, {}), after.get(entity_type, {})
        for entity_id in dict.fromkeys([*was, *now]):
            if was.get(entity_id) != now.get(entity_id):
                yield RecordedChange(entity_type, entity_id, was.get(entity_id), _copy(now.get(entity_id)))


def _copy(fields: dict[str, Any] | None) -> dict[str, Any] | None:
    return deepcopy(fields)
