"""Rules as they are carried out: every expression compiled, every name known."""

from collections.abc import Sequence
from typing import NamedTuple

from odyssey.expressions import Expression, Text


class Guard(NamedTuple):
    line: int
    condition: Expression
    allows: bool
    """Whether the call goes on when the condition holds, or is refused then."""
    code: str
    message: Text | None
    for_all: bool
    """Whether it is for all tools, and so only about calls that say which entities it means."""


class Let(NamedTuple):
    line: int
    name: str
    value: Expression


class Sets(NamedTuple):
    entity_type: str
    path: tuple[str, ...]
    value: Expression


class Appends(NamedTuple):
    entity_type: str
    path: tuple[str, ...]
    value: Expression


class Adds(NamedTuple):
    entity_type: str
    fields: tuple[tuple[str, Expression], ...]


class Removes(NamedTuple):
    entity_type: str


class Flag(NamedTuple):
    text: Text
    is_set: bool


Act = Sets | Appends | Adds | Removes | Flag


class Effect(NamedTuple):
    line: int
    when: Expression | None
    acts: tuple[Act, ...]
    for_all: bool


class Returns(NamedTuple):
    line: int
    when: Expression | None
    value: Expression
    for_all: bool


class Alone(NamedTuple):
    """What the engine would change by itself is left out."""

    line: int


Part = Guard | Let | Effect | Returns | Alone


def uses_calls(part: Part) -> bool:
    """Whether anything in it looks at earlier calls."""
    return any(each is not None and each.uses_calls for each in _readers(part))


def names_of(part: Part) -> frozenset[str]:
    """The types and lets it uses."""
    return frozenset(name for each in _readers(part) if each is not None for name in each.names)


def _readers(part: Part) -> Sequence[Expression | Text | None]:
    match part:
        case Guard(condition=condition, message=message):
            return (condition, message)
        case Let(value=value):
            return (value,)
        case Returns(when=when, value=value):
            return (when, value)
        case Effect(when=when, acts=acts):
            return (when, *(each for act in acts for each in _readers_of_act(act)))
    return ()


def _readers_of_act(act: Act) -> Sequence[Expression | Text]:
    match act:
        case Sets(value=value) | Appends(value=value):
            return (value,)
        case Adds(fields=fields):
            return tuple(value for _, value in fields)
        case Flag(text=text):
            return (text,)
    return ()
