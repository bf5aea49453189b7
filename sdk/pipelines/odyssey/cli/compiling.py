"""Programs of an agent's tools on the platform: proposed or replayed tool by tool, and one report for each."""

import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from cyclopts import Parameter, validators

from pipelines.odyssey.cli.connection import Connection, if_missing
from pipelines.odyssey.cli.recordings import portions, tasks_of
from pipelines.odyssey.client import types as t

SHARES = ("responses", "changes", "refusal_texts")

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
