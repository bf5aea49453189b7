"""A compiled rule, and the list of them with its index by tool."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from odyssey.expressions import Expression
from odyssey.expressions.arguments import Matcher, ToolChoice
from odyssey.records.ledger import Operation
from odyssey.simulation.rules.model import FaultName

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
