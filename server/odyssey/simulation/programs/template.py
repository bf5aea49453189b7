"""A JSON value with expressions in it: a text that begins with `=` is worked out, all else stands for itself.

A text that really begins with `=` is written as an expression: `= '=x'`.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import msgspec

from odyssey.expressions import EvaluationError, Expression, Facts, Lazy, read_expression
from odyssey.records.faults import Faults, shown

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


# A program that cannot go on: that is no refusal of the tool, but a fault of who wrote it.

Found = TypeVar("Found")


class ProgramFailedError(EvaluationError):
    """The message says the place in the program, such as `require[1].that`, and the reason."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


def evaluate_at(place: str, act: Callable[..., Found], *arguments: Any) -> Found:
    """Work something out; what cannot be is a failure here, or at the name that it needs."""
    try:
        return act(*arguments)
    except ProgramFailedError:
        raise
    except EvaluationError as error:
        raise ProgramFailedError(place, str(error)) from None


def at_place(place: str, act: Callable[..., Found], *arguments: Any) -> Callable[[], Found]:
    return lambda: evaluate_at(place, act, *arguments)


# Names of a program: what each stands for is worked out when it is first needed, and only once.

MAX_NAMES = 50

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_SEEN = ("args", "state", "flags", "calls", "actor")
_WORDS = (
    *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if"),
    *("import", "let", "loop", "package", "namespace", "return", "var", "void", "while", "has", "type"),
    *("int", "uint", "double", "string", "bytes", "bool", "list", "map", "null_type"),
)


class NamedExpressions(NamedTuple):
    """Expressions by the name they are given."""

    place: str
    expressions: Mapping[str, Expression]

    @property
    def uses_calls(self) -> bool:
        return any(expression.uses_calls for expression in self.expressions.values())

    def define(self, facts: Facts) -> None:
        """Let these facts know the names, which are about the moment of these facts, whoever asks for them later."""
        for name, expression in self.expressions.items():
            facts.define(name, Lazy(at_place(f"{self.place}.{name}", expression.evaluate, facts)))


def read_names(raw: Any, place: str, faults: Faults, *, known: Collection[str] = ()) -> NamedExpressions:
    """Read `{name: expression}`, which may use each other and what is `known`."""
    if not isinstance(raw, dict):
        faults.add(f"must be an object of names and expressions, not {shown(raw)}")
        return NamedExpressions(place, {})
    if len(raw) > MAX_NAMES:
        faults.add(f"has {len(raw)} names; at most {MAX_NAMES} are allowed")
        return NamedExpressions(place, {})
    seen = {*known, *raw}
    expressions: dict[str, Expression] = {}
    for name, text in raw.items():
        check_name(name, faults.at(name))
        expression = read_bare(text, faults.at(name), names=seen)
        if expression is not None:
            expressions[name] = expression
    _check_cycles(expressions, faults)
    return NamedExpressions(place, expressions)


def names_given(raw: Any) -> frozenset[str]:
    """The names that are there, also those whose expressions have faults: one fault is enough for them."""
    return frozenset(raw) if isinstance(raw, dict) else frozenset()


def check_name(name: Any, faults: Faults) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        faults.add(f"{shown(name)} is not a name: a letter, then letters, digits or _, at most 64 characters")
    elif name in _SEEN:
        faults.add(f"{name!r} is there already; choose another name")
    elif name in _WORDS:
        faults.add(f"{name!r} is a word of the language of expressions; choose another name")


def _check_cycles(expressions: Mapping[str, Expression], faults: Faults) -> None:
    """Name each cycle once, where it is met first."""
    done: set[str] = set()
    for name in expressions:
        path: list[str] = []
        _follow(name, expressions, path, done, faults)


def _follow(
    name: str, expressions: Mapping[str, Expression], path: list[str], done: set[str], faults: Faults
) -> None:
    if name in path:
        cycle = [*path[path.index(name) :], name]
        faults.at(cycle[0]).add(f"stands on itself: {' → '.join(cycle)}")
    elif name not in done:
        path.append(name)
        for used in sorted(expressions[name].names & expressions.keys()):
            _follow(used, expressions, path, done, faults)
        path.pop()
    done.add(name)
