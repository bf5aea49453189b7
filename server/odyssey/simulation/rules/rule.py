"""A compiled rule, the list of them by tool, and the records of matching a call against them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from odyssey.expressions import EvaluationError, Expression, Facts, read_expression
from odyssey.expressions.arguments import Matcher, ToolChoice
from odyssey.expressions.values import Meter
from odyssey.records.faults import Faults
from odyssey.records.ledger import Operation
from odyssey.simulation.engine import ToolCall
from odyssey.worlds.ledger import Ledger

# The records of rule matching: how often rules were passed and fired, what was decided.

FaultName = Literal["timeout", "reset", "empty", "garbage"]


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
class FiredRule:
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


class RuleDecision(NamedTuple):
    counters: RuleCounters
    fired: FiredRule | None
    notes: tuple[Note, ...] = ()


# A compiled rule, and the list of them with its index by tool.

_REMEMBERED_TOOLS = 1024


class CallChoice(NamedTuple):
    """Which of the calls that pass `tool` and `args` a rule is about, counted from 1."""

    first: int = 1
    last: int | None = None
    every: int = 1

    def includes(self, number: int) -> bool:
        return (
            self.first <= number and (self.last is None or number <= self.last) and number % self.every == 0
        )


@dataclass(frozen=True, slots=True)
class Rule:
    tools: ToolChoice
    args: Matcher | None
    call: CallChoice | None
    when: Expression | None
    probability: float | None
    times: int | None
    latency_ms: int
    operations: tuple[Operation, ...]
    response: Any
    """What the agent gets; an `error` outcome is already wrapped. None with a fault."""
    fault: FaultName | None

    def takes(self, arguments: Mapping[str, Any]) -> bool:
        return self.args is None or self.args(arguments)


class Rules(tuple[Rule, ...]):
    """The rules of a run, in order."""

    _by_tool: dict[str, tuple[int, ...]]
    _ask_for_calls: bool

    def __new__(cls, rules: Iterable[Rule] = ()) -> "Rules":
        made = super().__new__(cls, rules)
        made._by_tool = {}
        made._ask_for_calls = any(rule.when is not None and rule.when.uses_calls for rule in made)
        return made

    @property
    def ask_for_calls(self) -> bool:
        """Whether any rule looks at earlier calls; if none does, nobody needs to remember them."""
        return self._ask_for_calls

    def about(self, tool: str) -> tuple[int, ...]:
        """Positions of the rules about a tool. A run has few tools, so the answers are kept."""
        found = self._by_tool.get(tool)
        if found is None:
            if len(self._by_tool) >= _REMEMBERED_TOOLS:
                self._by_tool.clear()
            found = tuple(index for index, rule in enumerate(self) if rule.tools.includes(tool))
            self._by_tool[tool] = found
        return found


# The `when` of a rule: an expression over the call and the world, in CEL's own functions.
#
# It sees `args`, `state` (entities by type and id), `flags` (a sorted list), `calls` (the earlier ones,
# oldest first) and `actor`. What cannot be evaluated does not match: a member that is not there, values of
# kinds that do not go together, a result that is no boolean, or more work than a rule may do.

RULE_WORK = 1_000_000
CALL_WORK = 2 * RULE_WORK
"""Of all rules together: two hundred that run out of work still end in a second or so."""
LEAST_WORK = 2000
"""What is left to a rule whatever others did: enough without a walk."""

_LONGEST_REASON = 200


class Conditions:
    """The conditions of all rules during one call; what one of them takes from the world the others have."""

    __slots__ = ("_call", "_facts", "_left", "_world")

    def __init__(self, call: ToolCall, world: Ledger) -> None:
        self._call, self._world = call, world
        self._facts: Facts | None = None
        self._left = CALL_WORK

    def check(self, when: Expression) -> tuple[bool, str]:
        """Whether it holds, and why it could not be evaluated, for people; that is empty when it could."""
        facts = self._facts
        if facts is None:  # most rules have no condition
            facts = self._facts = self._call.facts(self._world)
        given = min(RULE_WORK, max(self._left, LEAST_WORK))
        facts.meter = meter = Meter(given)
        try:
            return when.holds(facts), ""
        except EvaluationError as error:
            return False, str(error)[:_LONGEST_REASON]
        finally:
            self._left -= given - max(meter.left, 0)


def read_when(raw: Any, faults: Faults) -> Expression | None:
    """Read an expression; None when something is wrong with it, which `faults` then says."""
    return read_expression(raw, faults, functions=False)
