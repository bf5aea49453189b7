"""What the checks of a row say of calls, laid out: which are demanded, how often, and which are forbidden."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from operator import le
from typing import Any, NamedTuple

from odyssey.expressions.arguments import Matcher, ToolChoice, read_args, read_tool_choice, read_value
from odyssey.grading.checks import ChecksVersion
from odyssey.records.canonical import canonical_json
from odyssey.records.faults import Faults


class Demand(NamedTuple):
    """Calls that one check speaks of: how many of them there may be."""

    check: int
    kind: str
    """`called`, `not_called`, `order`, `never`."""
    tools: ToolChoice
    written: tuple[str, ...]
    args: dict[str, Any]
    fits: Matcher | None
    """None where any arguments do."""
    allows: Callable[[int], bool]
    named_counts: tuple[int, ...] = ()
    outcome: str = "any"

    @property
    def wants_some(self) -> bool:
        return not self.allows(0)

    @property
    def forbids_all(self) -> bool:
        """Whether not a single call may fit; of a count that nobody can reach that is not said."""
        return self.allows(0) and not any(self.allows(number) for number in self.telling_counts()[1:])

    @property
    def least(self) -> int | None:
        """The fewest calls it allows; None if it allows no number of them."""
        return next(filter(self.allows, self.telling_counts()), None)

    @property
    def most(self) -> int | None:
        """The most calls it allows; None if there is no such bound."""
        *numbers, beyond = self.telling_counts()
        return None if self.allows(beyond) else max(filter(self.allows, numbers), default=0)

    def telling_counts(self, *others: "Demand") -> list[int]:
        """Numbers of calls that stand for all: between those that a check names it says the same of each."""
        named = {count for demand in (self, *others) for count in demand.named_counts}
        near = {count + step for count in named for step in (-1, 0, 1)}
        return sorted({0, 1, 2, max(named, default=0) + 2} | {count for count in near if count >= 0})

    def same_calls(self, other: "Demand") -> bool:
        """Whether both speak of the very same calls, so that one number must do for both."""
        return (
            self.written == other.written
            and canonical_json(self.args) == canonical_json(other.args)
            and self.outcome == other.outcome
        )


def demands_of(checks: Sequence[Any], version: ChecksVersion) -> list[Demand]:
    """Lay out checks that were read without a fault. The steps of an `order` are one demand each."""
    unsaid = "any" if version == 1 else "ok"
    found: list[Demand] = []
    for index, check in enumerate(checks):
        ((kind, asked),) = check.items()
        if kind in ("called", "not_called"):
            found.append(_of_calls(index, kind, {"tool": asked} if isinstance(asked, str) else asked, unsaid))
        elif kind == "order":
            found += _of_order(index, asked, unsaid)
        elif kind == "policy" and "never" in asked:
            found.append(_forbidden(index, "never", asked["never"]))
    return found


def _of_calls(index: int, kind: str, asked: dict[str, Any], unsaid: str) -> Demand:
    args = asked.get("args", {})
    count = asked.get("count")
    holds = (lambda number: number > 0) if count is None else read_value(count, Faults())
    wanted = kind == "called"
    return Demand(
        check=index,
        kind=kind,
        tools=read_tool_choice(asked["tool"], Faults()),
        written=_written(asked["tool"]),
        args=args,
        fits=read_args(args, Faults()),
        allows=lambda number: holds(number) is wanted,
        named_counts=tuple(_integers(count)),
        outcome=asked.get("outcome", unsaid) if wanted else "any",
    )


def _of_order(index: int, asked: Any, unsaid: str) -> Iterator[Demand]:
    given = asked if isinstance(asked, dict) else {"tools": asked}
    steps = given["tools"]
    for tool in dict.fromkeys(steps):
        least = steps.count(tool)
        yield Demand(
            check=index,
            kind="order",
            tools=read_tool_choice(tool, Faults()),
            written=(tool,),
            args={},
            fits=None,
            allows=partial(le, least),
            named_counts=(least,),
            outcome=given.get("outcome", unsaid),
        )


def _forbidden(index: int, kind: str, tool: Any) -> Demand:
    return Demand(
        check=index,
        kind=kind,
        tools=read_tool_choice(tool, Faults()),
        written=_written(tool),
        args={},
        fits=None,
        allows=lambda number: number == 0,
        outcome="any",
    )


def _written(tool: Any) -> tuple[str, ...]:
    return tuple(tool) if isinstance(tool, list) else (tool,)


def _integers(value: Any) -> Iterator[int]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _integers(item)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield value


# What is said of a row whose demands nobody can meet.


class Impossibility(NamedTuple):
    check: int
    """The check that cannot hold."""
    reason: str
    """Such as "check 2 forbids every call of cancel_order": what it goes against, for people."""


def named(check: int) -> str:
    """A check as people count them."""
    return f"check {check + 1}"
