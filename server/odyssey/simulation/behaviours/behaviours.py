"""What is known of how the tools of a world behave, found again by tool."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from odyssey.expressions import Expression, Text
from odyssey.simulation.behaviours.naming import ALL

# Rules as they are carried out: every expression compiled, every name known.


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


class FieldWrite(NamedTuple):
    entity_type: str
    path: tuple[str, ...]
    value: Expression
    appends: bool
    """Whether the value is added to the list that is there, or takes the place of what is."""


class Adds(NamedTuple):
    entity_type: str
    fields: tuple[tuple[str, Expression], ...]


class Removes(NamedTuple):
    entity_type: str


class FlagWrite(NamedTuple):
    text: Text
    is_set: bool


Act = FieldWrite | Adds | Removes | FlagWrite


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
        case FieldWrite(value=value):
            return (value,)
        case Adds(fields=fields):
            return tuple(value for _, value in fields)
        case FlagWrite(text=text):
            return (text,)
    return ()


_KEPT_TOOLS = 1024
_WORD = re.compile(r"[A-Za-z_](?:-*[A-Za-z0-9_])*")


def tools_named(text: str, rule: Mapping[str, Any] | None, known: frozenset[str] | None) -> frozenset[str]:
    """The tools that a line names which is not understood; none: it may be about any."""
    if known is not None:
        return known.intersection(_WORD.findall(text))
    return frozenset(rule["tools"] if rule else ()) - {ALL}


class ToolBehaviours(NamedTuple):
    """The lines about one tool, in their order."""

    lets: tuple[Let, ...]
    guards: tuple[Guard, ...]
    effects: tuple[Effect, ...]
    returns: tuple[Returns, ...]
    is_alone: bool
    """Whether what the engine would change by itself is left out."""
    types: frozenset[str]
    """Those whose names the expressions use."""


class Behaviours:
    """Immutable; made by `read_behaviours`."""

    __slots__ = ("_clear", "_of_tool", "_unclear", "text", "uses_calls")

    def __init__(
        self,
        text: str,
        clear: tuple[tuple[frozenset[str], Part], ...],
        unclear: tuple[frozenset[str], ...],
    ) -> None:
        """`clear`: the lines that are understood, with their tools. `unclear`: the tools of each that is not."""
        self.text = text
        self._clear = clear
        self._unclear = unclear
        self._of_tool: dict[str, ToolBehaviours | None] = {}
        self.uses_calls = any(uses_calls(part) for _, part in clear)

    def __bool__(self) -> bool:
        return bool(self._clear or self._unclear)

    def about(self, tool: str) -> ToolBehaviours | None:
        """The lines about a tool that are understood; None if there are none."""
        if tool not in self._of_tool:
            if len(self._of_tool) >= _KEPT_TOOLS:
                self._of_tool.clear()
            parts = [part for tools, part in self._clear if ALL in tools or tool in tools]
            self._of_tool[tool] = _gather(parts) if parts else None
        return self._of_tool[tool]

    def is_unclear(self, tool: str) -> bool:
        """Whether a line that is not understood names this tool, or no tool at all."""
        return any(not tools or tool in tools for tools in self._unclear)


def _gather(parts: Iterable[Part]) -> ToolBehaviours:
    parts = list(parts)
    lets = tuple(part for part in parts if isinstance(part, Let))
    return ToolBehaviours(
        lets,
        tuple(part for part in parts if isinstance(part, Guard)),
        tuple(part for part in parts if isinstance(part, Effect)),
        tuple(part for part in parts if isinstance(part, Returns)),
        any(isinstance(part, Alone) for part in parts),
        frozenset(name for part in parts for name in names_of(part)) - {let.name for let in lets},
    )


EMPTY = Behaviours("", (), ())
