"""The seam every engine stands behind: it reads a world and proposes; only `worlds` applies."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import msgspec

from odyssey.expressions.facts import EarlierCall, Facts
from odyssey.records.ledger import Operation
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.worlds.ledger import Ledger

EngineName = Literal["program", "world", "llm", "replay"]
EngineChoice = Literal["auto", "program", "world", "llm"]
"""What an agent may ask for: one engine, or the first that knows an answer."""
Evidence = Literal["examples", "behaviour", "world", "schema", "model"]
"""What an answer rests on: recorded examples, rules that somebody wrote, entities of the world, what the tool declares
of itself, or a model."""
Shape = Literal["as_is", "shaped", "loose", "invented"]
"""How an answer came by the form of its output schema: it had it, it was rearranged, it has members beside those that
are named, or some were made up."""


class ToolCall(msgspec.Struct, frozen=True):
    """One accepted call, with all that rules, behaviours and engines may know of it."""

    tool: Tool
    arguments: dict[str, Any]
    ledger_schema: LedgerSchema | None
    random_seed: int
    """The run's seed; every draw an engine makes comes from it and from `sequence`."""
    sequence: int
    actor: str | None = None
    calls: Sequence[EarlierCall] = ()
    """Oldest first; empty unless something asks for them. Gone through only when an expression names `calls`."""

    def facts(self, world: Ledger) -> Facts:
        """All that an expression may look at while this call is answered."""
        return Facts(
            args=self.arguments,
            ledger=world,
            actor=self.actor,
            calls=self.calls,
            random_seed=self.random_seed,
            sequence=self.sequence,
        )


class Reading(msgspec.Struct, frozen=True):
    """What an engine took a call for: the reason of its answer, in parts that a page can lay out."""

    operation: str
    """`read`, `list`, `create`, `update`, `remove`, `calculate`, `acknowledge`, or `none` if not understood."""
    entity_type: str | None = None
    fields: tuple[str, ...] = ()
    """What was shown (none: all of it) or changed."""
    by: tuple[str, ...] = ()
    """What told which entities are meant."""

    def in_words(self) -> str:
        words = [self.operation, *([self.entity_type] if self.entity_type else [])]
        words += [f"by {', '.join(self.by)}"] if self.by else []
        return " ".join(words) + (f": {', '.join(self.fields)}" if self.fields else "")


class Answer(msgspec.Struct, frozen=True):
    """What an engine proposes. `refused` answers are not checked against the output schema."""

    response: Any
    operations: tuple[Operation, ...] = ()
    certainty: float = 1.0
    """How well the engine understood the call, on a scale of its own (`world/answer.py`); not how often it is right."""
    refused: bool = False
    explanation: str = ""
    """Which operation on which entity type by which fields, for people."""
    reading: Reading | None = None
    """The same, for programs."""
    by_own_rules: bool = False
    """Whether lines of behaviour had a part in it, which may say other things than name and arguments do."""
    is_blank: bool = False
    """Whether it says nothing, since nobody knows what the call does; its reading goes as far as that is known."""
    evidence: Evidence = "world"
    shape: Shape = "as_is"

    @property
    def is_understood(self) -> bool:
        """Whether it says anything of the world."""
        return not self.is_blank


class Engine(Protocol):
    name: EngineName

    def answer(self, call: ToolCall, world: Ledger) -> Answer: ...
