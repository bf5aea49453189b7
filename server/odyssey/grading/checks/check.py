"""A check that was read: what it is about, and how it looks at a run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import msgspec

from odyssey.expressions.arguments import ToolChoice, read_tool_choice
from odyssey.grading.evidence import Evidence, ObservedCall
from odyssey.kit.words import shorten
from odyssey.records.canonical import canonical_json
from odyssey.records.faults import Faults

ChecksVersion = Literal[1, 2]
"""Of the meaning of checks: in 1, a call that failed counts as done. Rows say which they were written for."""


class RunFacts:
    """The evidence of one run, with what several checks look at made only once."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    @cached_property
    def accepted(self) -> tuple[ObservedCall, ...]:
        return self.evidence.accepted_calls

    @cached_property
    def end_state(self) -> dict[str, Any]:
        return self.evidence.after.to_state()


class CheckFinding(NamedTuple):
    passed: bool
    reason: str
    sequence: int | None = None
    """The step that decided it, if one did."""
    rests_on: tuple[ObservedCall, ...] = ()
    """Of a failure: the calls it comes from; none where it comes from what the agent left out or said."""


Look = Callable[[RunFacts], CheckFinding]


class Compiled(NamedTuple):
    look: Look
    tools: tuple[str, ...] = ()
    """The tool names and globs it mentions, as they were written."""
    expects: Callable[[ObservedCall], bool] | None = None
    """Whether a call is one that the check demands; None where it demands none."""


@dataclass(frozen=True, slots=True)
class Check:
    index: int
    kind: str
    look: Look
    tools: tuple[str, ...] = ()
    """The tool names and globs it mentions, as they were written."""
    expects: Callable[[ObservedCall], bool] | None = None
    """Whether a call is one that the check demands; None where it demands none."""
    asked: Any = None
    """What it says, as it was written."""


# What a check comes to.

CheckState = Literal["passed", "failed", "error"]


class CheckResult(msgspec.Struct, frozen=True):
    index: int | None
    """The check's position in the row's list; None for the one that is built in."""
    kind: str
    state: CheckState
    """`error`: the check itself broke, which says nothing about the run."""
    reason: str
    sequence: int | None = None
    """The step of the trace that decided it, if one did."""
    world_at_fault: bool = False
    """Whether it failed by nothing but faulty answers of the world to calls that the row expects."""


# Values in the words of a reason: short, whatever an agent or a world puts into them.

_LONGEST = 120


def as_json(value: Any) -> str:
    """A value as JSON, cut short."""
    return shortened(canonical_json(value).decode("utf-8"))


def shortened(text: str) -> str:
    return shorten(text, _LONGEST)


def times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


# The tools a check speaks of: a name, or a glob such as `get_*`.


class NamedTools(NamedTuple):
    """Tools, with the words they were named by."""

    written: tuple[str, ...]
    choice: ToolChoice

    def includes(self, tool: str) -> bool:
        return self.choice.includes(tool)

    def __str__(self) -> str:
        return " or ".join(self.written[:3]) + (" or …" if len(self.written) > 3 else "")


def read_tools(raw: Any, faults: Faults) -> NamedTools:
    """Read a name, a glob, or a list of them of which any is meant."""
    before = faults.count()
    choice = read_tool_choice(raw, faults)
    if faults.count() > before:
        return NamedTools((), choice)
    return NamedTools(tuple(raw) if isinstance(raw, list) else (raw,), choice)


def read_tool(raw: Any, faults: Faults) -> NamedTools:
    """Read one name or glob."""
    if not isinstance(raw, str):
        faults.add("write a tool name or a glob such as 'get_*'")
        return NamedTools((), ToolChoice(frozenset(), None))
    return read_tools(raw, faults)
