"""Recorded calls of a real back end: JSON Lines, one task a line, cut down to what one tool needs."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.printing.screen import clean, word
from pipelines.odyssey.cli.strict_json import NotJsonError, read_strictly
from pipelines.odyssey.client import types as t

MOST_BYTES = 60 * 1024 * 1024
"""Of one request: what the platform takes, less some room for the rest of the body."""
MOST_CALLS = 20_000

_CALL = ("tool", "args", "response", "error", "changes")
_OF_OTHERS = ("tool", "args", "changes")
_CHANGE = ("entity_type", "id", "before", "after")


def read_recordings(path: Path) -> list[t.RecordedTaskIn]:
    """Read every task; raises CommandFailedError with the line of a fault."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise CommandFailedError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise CommandFailedError(f"{path} cannot be read: it is not UTF-8.") from None
    tasks = [_task(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not tasks:
        raise CommandFailedError(f"{path} holds no task.")
    return tasks


def recorded_tools(tasks: Sequence[t.RecordedTaskIn]) -> Counter[str]:
    """Count the calls of each tool, in the order in which they first appear."""
    return Counter(str(call["tool"]) for task in tasks for call in task["calls"])


def tasks_of(tasks: Sequence[t.RecordedTaskIn], tool: str) -> list[t.RecordedTaskIn]:
    """The tasks that call a tool, each up to its last call: of the others only what they changed matters."""
    found: list[t.RecordedTaskIn] = []
    for task in tasks:
        ours = [number for number, call in enumerate(task["calls"], 1) if call["tool"] == tool]
        if ours:
            calls = [_trimmed(call, tool) for call in task["calls"][: ours[-1]]]
            found.append({"task": task.get("task"), "calls": calls})
    return found


def portions(
    tasks: Sequence[t.RecordedTaskIn], *, most_bytes: int = MOST_BYTES, most_calls: int = MOST_CALLS
) -> Iterator[list[t.RecordedTaskIn]]:
    """Split whole tasks into what one request may carry; a task that alone is too large cannot be sent."""
    portion: list[t.RecordedTaskIn] = []
    size = calls = 0
    for task in tasks:
        number = len(task["calls"])
        own = len(json.dumps(task, ensure_ascii=False, separators=(",", ":")).encode()) + 1
        if own > most_bytes or number > most_calls:
            raise CommandFailedError(
                f"The recorded task {word(task.get('task'))} is too large to be replayed: {number} calls in "
                f"{own:,} bytes, and at most {most_calls:,} calls in {most_bytes:,} bytes can be sent. Split it."
            )
        if portion and (size + own > most_bytes or calls + number > most_calls):
            yield portion
            portion, size, calls = [], 0, 0
        portion.append(task)
        size, calls = size + own, calls + number
    if portion:
        yield portion


def _task(line: str, place: str) -> t.RecordedTaskIn:
    try:
        task = read_strictly(line)
    except NotJsonError as error:
        raise CommandFailedError(clean(f"{place}: {error}.")) from None
    calls = task.get("calls") if isinstance(task, dict) else None
    if not isinstance(calls, list):
        raise CommandFailedError(f'{place}: a task is an object with "calls", a list.')
    for number, call in enumerate(calls, 1):
        if not isinstance(call, dict) or not isinstance(call.get("tool"), str):
            raise CommandFailedError(f'{place}: call {number} is not an object with "tool", a text.')
        if not isinstance(call.get("args"), dict):
            raise CommandFailedError(f'{place}: call {number} has no "args", an object.')
        if not isinstance(call.get("changes", []), list):
            raise CommandFailedError(f'{place}: "changes" of call {number} is not a list.')
    return cast("t.RecordedTaskIn", task)


def _trimmed(call: t.RecordedCallIn, tool: str) -> t.RecordedCallIn:
    names = _CALL if call["tool"] == tool else _OF_OTHERS
    kept = {name: value for name, value in call.items() if name in names}
    changes = [
        {name: change[name] for name in _CHANGE if name in change} if isinstance(change, dict) else change
        for change in cast("Sequence[Any]", call.get("changes", []))
    ]
    # What is in a change is for the platform to judge.
    return cast("t.RecordedCallIn", {**kept, "changes": changes})
