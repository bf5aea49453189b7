"""The seam every engine stands behind: it reads a world and proposes; only `worlds` applies."""

from typing import Any, Literal, Protocol

import msgspec

from odyssey.records.ledger import Operation
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.worlds.ledger import Ledger

EngineName = Literal["program", "world", "llm", "replay"]


class ToolCall(msgspec.Struct, frozen=True):
    """One accepted call, with all an engine may know of it."""

    tool: Tool
    arguments: dict[str, Any]
    ledger_schema: LedgerSchema | None
    random_seed: int
    """The run's seed; every draw an engine makes comes from it and from `sequence`."""
    sequence: int


class Answer(msgspec.Struct, frozen=True):
    """What an engine proposes. `refused` answers are not checked against the output schema."""

    response: Any
    operations: tuple[Operation, ...] = ()
    confidence: float = 1.0
    refused: bool = False
    explanation: str = ""
    """Which operation on which entity type by which fields, for people."""


class Engine(Protocol):
    name: EngineName

    def answer(self, call: ToolCall, world: Ledger) -> Answer: ...
