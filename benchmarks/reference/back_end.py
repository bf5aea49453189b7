"""The shape of a reference world: a small real back end, and callers who use it, mistakes included."""

from random import Random
from typing import Any, NamedTuple, Protocol

State = dict[str, dict[str, dict[str, Any]]]
"""`{entity type: {id: {field: value}}}`, as a run's world begins."""


class RefusedError(Exception):
    """The back end says no; the text is what it tells the caller."""


class Call(NamedTuple):
    tool: str
    arguments: dict[str, Any]


class BackEnd(Protocol):
    """One world. A back end keeps nothing but the state it is given."""

    name: str
    tools: list[dict[str, Any]]
    """`name`, `description`, `input_schema` and mostly `output_schema`, as its developers would write them."""

    def begin(self, random: Random) -> State:
        """Make a world to begin with, another one for each seed."""
        ...

    def call(self, state: State, tool: str, arguments: dict[str, Any]) -> Any:
        """Answer one call and change the state; raises `RefusedError`, and has then changed nothing."""
        ...

    def next_call(self, state: State, random: Random) -> Call:
        """Say what a caller does next; about one call in five is a mistake."""
        ...
