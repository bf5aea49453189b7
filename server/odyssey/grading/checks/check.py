"""A check that was read: what it is about, and how it looks at a run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from odyssey.grading.evidence import Evidence, ObservedCall


class Facts:
    """The evidence of one run, with what several checks look at made only once."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    @cached_property
    def accepted(self) -> tuple[ObservedCall, ...]:
        return self.evidence.accepted_calls

    @cached_property
    def end_state(self) -> dict[str, Any]:
        return self.evidence.after.to_state()


class Finding(NamedTuple):
    passed: bool
    reason: str
    sequence: int | None = None
    """The step that decided it, if one did."""


Look = Callable[[Facts], Finding]


class Compiled(NamedTuple):
    look: Look
    tools: tuple[str, ...] = ()
    """The tool names and globs it mentions, as they were written."""


@dataclass(frozen=True, slots=True)
class Check:
    index: int
    kind: str
    look: Look
    tools: tuple[str, ...] = ()
    """The tool names and globs it mentions, as they were written."""
