"""A JSON value with expressions in it: a text that begins with `=` is worked out, all else stands for itself.

A text that really begins with `=` is written as an expression: `= '=x'`.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import msgspec

from odyssey.expressions import EvaluationError, Expression, Facts, read_expression
from odyssey.records.faults import Faults

MAX_DEPTH = 50
MAX_BYTES = 4 * 1024 * 1024
"""What the templates of one call may come to, as JSON."""

_WORK_OF_A_VALUE = 8
"""In units of the meter: it is encoded, copied into an operation or a response, and into the world."""

_Node = Callable[[Facts, "Room"], Any]


class Room:
    """How much may still be built during one call: what a template repeats, it may repeat without end."""

    def __init__(self, size: int = MAX_BYTES) -> None:
        self._left = size

    def take(self, value: Any, facts: Facts) -> Any:
        """Hand on a value if there is room for it and time to copy it about; raises EvaluationError."""
        try:
            text = msgspec.json.encode(value)
        except (OverflowError, TypeError, ValueError):
            raise EvaluationError("the value has no form in JSON") from None
        self._left -= len(text)
        if self._left < 0:
            raise EvaluationError(f"what this call makes would be larger than {MAX_BYTES} bytes")
        # Commas and brackets tell how many values there are, of texts somewhat more: near enough for a bound.
        facts.meter.spend(_WORK_OF_A_VALUE * (text.count(b",") + text.count(b"[") + text.count(b"{")))
        return value


@dataclass(frozen=True, slots=True)
class Template:
    raw: Any
    """As it was written."""
    expressions: tuple[Expression, ...]
    _node: _Node

    @property
    def uses_calls(self) -> bool:
        return any(expression.uses_calls for expression in self.expressions)

    def evaluate(self, facts: Facts, room: Room | None = None) -> Any:
        """The value for these facts, the caller's own; raises EvaluationError."""
        return self._node(facts, room or Room())


def is_expression(raw: Any) -> bool:
    return isinstance(raw, str) and raw.startswith("=")


def read_template(raw: Any, faults: Faults, *, names: Collection[str] = ()) -> Template | None:
    """Read a value and compile what is to be worked out; None when something is wrong, which `faults` then says."""
    before = faults.count()
    found: list[Expression] = []
    node = _read(raw, faults, names, found, 0)
    return None if faults.count() > before or node is None else Template(raw, tuple(found), node)


def read_bare(raw: Any, faults: Faults, *, names: Collection[str] = ()) -> Expression | None:
    """Read an expression that stands where nothing else may: there the `=` can be left out."""
    return read_expression(raw[1:] if is_expression(raw) else raw, faults, names=names)


def _read(
    raw: Any, faults: Faults, names: Collection[str], found: list[Expression], depth: int
) -> _Node | None:
    if depth > MAX_DEPTH:
        faults.add(f"is nested deeper than {MAX_DEPTH}")
        return None
    if isinstance(raw, dict):
        members = {name: _read(item, faults.at(name), names, found, depth + 1) for name, item in raw.items()}
        return _object({name: node for name, node in members.items() if node is not None})
    if isinstance(raw, list):
        items = [_read(item, faults.at(place), names, found, depth + 1) for place, item in enumerate(raw)]
        return _list([node for node in items if node is not None])
    if not is_expression(raw):
        return lambda facts, room: room.take(raw, facts)
    expression = read_bare(raw, faults, names=names)
    if expression is None:
        return None
    found.append(expression)
    evaluate = expression.evaluate
    return lambda facts, room: room.take(evaluate(facts), facts)


def _object(members: dict[str, _Node]) -> _Node:
    return lambda facts, room: {name: node(facts, room) for name, node in members.items()}


def _list(items: list[_Node]) -> _Node:
    return lambda facts, room: [node(facts, room) for node in items]
