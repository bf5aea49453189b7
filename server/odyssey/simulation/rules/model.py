"""The records of rule matching: what a call is, how often rules were passed and fired, what was decided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from odyssey.expressions.facts import EarlierCall
from odyssey.records.ledger import Operation
from odyssey.worlds.ledger import Ledger

FaultName = Literal["timeout", "reset", "empty", "garbage"]


class RuleCall(NamedTuple):
    """One call, with all that a rule may look at."""

    tool: str
    args: Mapping[str, Any]
    actor: str | None
    random_seed: int
    ledger: Ledger
    calls: Sequence[EarlierCall] = ()
    """Oldest first. Gone through only when the `when` of a rule names `calls`, so it may load lazily."""


class AnsweredCall(NamedTuple):
    """A call whose answer is known, for counting it again."""

    tool: str
    args: Mapping[str, Any]
    fired_index: int | None


class RuleCounters(NamedTuple):
    """By position of the rule. Immutable: a decision gives other counters."""

    seen: tuple[int, ...]
    """Calls that passed the rule's `tool` and `args`, whoever answered them."""
    fired: tuple[int, ...]

    @classmethod
    def start(cls, rules: Sequence[Any]) -> "RuleCounters":
        return cls((0,) * len(rules), (0,) * len(rules))


@dataclass(frozen=True, slots=True)
class Fired:
    """What the rule that fired asks for."""

    index: int
    latency_ms: int
    operations: tuple[Operation, ...]
    response: Any
    """What the agent gets, the caller's own copy; None with a fault."""
    fault: FaultName | None


@dataclass(frozen=True, slots=True)
class Note:
    """A rule whose `when` could not be evaluated, and so did not match."""

    index: int
    reason: str


class Decision(NamedTuple):
    counters: RuleCounters
    fired: Fired | None
    notes: tuple[Note, ...] = ()
