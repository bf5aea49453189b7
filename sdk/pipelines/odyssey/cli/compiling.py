"""Programs of an agent's tools: proposed or replayed on recorded calls tool by tool, and one report for each."""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, cast

from cyclopts import Parameter, validators

from pipelines.odyssey.cli.connection import Connection, if_missing
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
_MOST_MISMATCHES = 5
_Z = 1.959963984540054
"""Of 95 %."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Trial:
    """How programs are tried."""

    accept_at: Annotated[
        float,
        Parameter(
            validator=validators.Number(gte=0.9, lte=1),
            help="The least share of equal responses, and of equal changes, from 0.9 to 1.",
        ),
    ] = 1.0
    attempts: Annotated[
        int,
        Parameter(
            validator=validators.Number(gte=1, lte=3),
            help="How often the model may try each tool, each time told what was wrong.",
        ),
    ] = 3
    examples: Annotated[
        int,
        Parameter(
            validator=validators.Number(gte=0, lte=50),
            help="How many recorded calls of a tool the model is shown.",
        ),
    ] = 12


class Compiler(NamedTuple):
    """What is the same for every tool."""

    platform: Connection
    agent_id: int
    world_id: int
    tasks: Sequence[t.RecordedTaskIn]
    trial: Trial

    def propose(self, tool: str) -> t.ProgramReportOut:
        """Have a program written on what one request carries, and hold it against the rest of the recorded calls."""
        first, *rest = portions(tasks_of(self.tasks, tool))
        with self._if_missing():
            report = self.platform.agents.propose_program(
                self.agent_id,
                tool=tool,
                world_id=self.world_id,
                calls=first,
                accept_at=self.trial.accept_at,
                attempts=self.trial.attempts,
                examples=self.trial.examples,
            )
        program = report["program"]
        if not report["accepted"] or program is None or not rest:
            return report
        return merged([report, *(self._replay_part(tool, part, program) for part in rest)])

    def replay(self, tool: str, program: Mapping[str, Any]) -> t.ProgramReportOut:
        """Hold a program that somebody wrote against the recorded calls."""
        parts = portions(tasks_of(self.tasks, tool))
        return merged([self._replay_part(tool, part, program) for part in parts])

    def _replay_part(
        self, tool: str, tasks: Sequence[t.RecordedTaskIn], program: Mapping[str, Any]
    ) -> t.ProgramReportOut:
        with self._if_missing():
            return self.platform.agents.replay_program(
                self.agent_id,
                tool=tool,
                world_id=self.world_id,
                calls=tasks,
                accept_at=self.trial.accept_at,
                program=program,
            )

    def _if_missing(self) -> AbstractContextManager[None]:
        return if_missing(f"There is no agent {self.agent_id}, or no world {self.world_id}.")


def without_recordings(tool: str) -> t.ProgramReportOut:
    """The report on a tool of which nothing was recorded: nothing can be said for its program."""
    nothing: t.ProgramShareOut = {"share": None, "interval": [0.0, 1.0], "equal": 0, "of": 0}
    return {
        "tool": tool,
        "accepted": False,
        "program": None,
        "attempts": [],
        "responses": nothing,
        "changes": nothing,
        "refusal_texts": nothing,
        "shown": 0,
        "model": None,
        "input_tokens": 0,
        "output_tokens": 0,
        "cost_usd": 0.0,
    }


def merged(reports: Sequence[t.ProgramReportOut]) -> t.ProgramReportOut:
    """One report of those on parts of the recorded calls; the program is the same in all."""
    first, *rest = reports
    if not rest:
        return first
    last = [report["attempts"][-1] for report in reports]
    attempt: t.ProgramAttemptOut = {
        "errors": [fault for each in last for fault in each["errors"]],
        "equal": sum(each["equal"] for each in last),
        "of": sum(each["of"] for each in last),
        "mismatches": [one for each in last for one in each["mismatches"]][:_MOST_MISMATCHES],
    }
    return {
        **first,
        "accepted": all(report["accepted"] for report in reports),
        "attempts": [*first["attempts"][:-1], attempt],
        "responses": _summed([report["responses"] for report in reports]),
        "changes": _summed([report["changes"] for report in reports]),
        "refusal_texts": _summed([report["refusal_texts"] for report in reports]),
    }


def _summed(shares: Sequence[t.ProgramShareOut]) -> t.ProgramShareOut:
    equal, of = sum(share["equal"] for share in shares), sum(share["of"] for share in shares)
    return {"share": equal / of if of else None, "interval": _wilson(equal, of), "equal": equal, "of": of}


def _wilson(equal: int, of: int) -> list[float]:
    if not of:
        return [0.0, 1.0]
    rate, square = equal / of, _Z * _Z
    centre = (rate + square / (2 * of)) / (1 + square / of)
    half = _Z * math.sqrt(rate * (1 - rate) / of + square / (4 * of * of)) / (1 + square / of)
    return [max(0.0, centre - half) if equal else 0.0, min(1.0, centre + half) if equal < of else 1.0]


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
