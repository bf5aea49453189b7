"""Lines that say how tools behave, where people write them: read with what is known, and what is unclear."""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import msgspec
from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from odyssey.agents.schemas import ToolsSchema
from odyssey.core.depends import existing_id
from odyssey.core.wire import Body
from odyssey.kit.json_reader import JsonInvalidError, read_json
from odyssey.kit.words import shorten
from odyssey.records.problems import FieldError
from odyssey.records.tools import LedgerSchema, declared_types
from odyssey.simulation.behaviours import MAX_BYTES, MAX_LINES, read_behaviours

# Behaviours as seeds and worlds carry them: taken as lines or as rules, kept as lines, looked at for unclear
# ones.

_MEMBER = "behavior_instructions"
_CODE = "behavior_not_understood"
_MOST_TOLD = 10
_LONGEST_TOLD = 500
_KEPT = 128
_SMALL = MAX_BYTES // 4
"""Characters; each has at most four bytes."""


KnownNames = tuple[frozenset[str] | None, frozenset[str] | None]
"""The tools and the types that a behaviour may speak of; None where nobody knows."""


class UnclearLine(NamedTuple):
    """A line that is not understood."""

    line: int
    text: str
    problem: str
    hint: str | None

    def told(self) -> str:
        said = self.problem if self.hint is None else f"{self.problem}; {self.hint}"
        return shorten(said, _LONGEST_TOLD)


def take_behavior(raw: Any) -> tuple[str, Sequence[FieldError]]:
    """Take a text as it stands, and rules as the lines that say the same; returns the lines and what is wrong.

    A text that is a JSON list of objects is rules too: so they stand in the cell of a table.
    """
    if raw is None:
        return "", [FieldError((_MEMBER,), "must be a text of lines or a list of rules, not null")]
    rules = _rules_in(raw) if isinstance(raw, str) else None
    if isinstance(raw, str) and rules is None:
        return raw, [] if _is_small(raw) else read_behaviours(raw).errors
    return _take_once(msgspec.json.encode(raw if rules is None else rules))


def known_of(tools: Iterable[str] | None, schema: LedgerSchema | None, *types: Collection[str]) -> KnownNames:
    """Put together what an agent and a world have; a world without any type yet may get every one."""
    found = frozenset(declared_types(schema)).union(*types)
    return (None if tools is None else frozenset(tools)), found or None


def unclear_lines(text: str, known: KnownNames) -> list[UnclearLine]:
    """Find the lines that are not understood; a text that is older than the limits, and beyond them, is one such."""
    if not text.strip():
        return []
    tools, types = known
    read = read_behaviours(text, tools=tools, types=types)
    whole = [UnclearLine(1, "", error.msg, None) for error in read.errors]
    lines = ((line, line.problem) for line in read.lines)
    return whole + [
        UnclearLine(line.number, line.text, why, line.hint) for line, why in lines if why is not None
    ]


def soft_warnings(unclear: Sequence[UnclearLine]) -> list[str]:
    """Tell of the first unclear lines as a run carries it, and of how many more there are."""
    told = [f"{_CODE}: line {each.line}: {each.told()}" for each in unclear[:_MOST_TOLD]]
    more = len(unclear) - len(told)
    return [*told, f"{_CODE}: and {more} more line{'' if more == 1 else 's'}"] if more else told


@lru_cache(maxsize=_KEPT)
def _take_once(encoded: bytes) -> tuple[str, Sequence[FieldError]]:
    """Take what is no text; the rows of a dataset often have the same rules."""
    read = read_behaviours(msgspec.json.decode(encoded))
    return read.text, tuple(read.errors)


def _rules_in(text: str) -> list[Any] | None:
    if not text.lstrip().startswith("["):
        return None
    try:
        read = read_json(text)
    except JsonInvalidError:
        return None
    return read if isinstance(read, list) and all(isinstance(rule, dict) for rule in read) else None


def _is_small(text: str) -> bool:
    """Whether a text is within all limits whatever its lines say, which is then not read here: there may be many."""
    return len(text) <= _SMALL and text.count("\n") < MAX_LINES and "\0" not in text


# Wire types of behaviours.

BEHAVIOR_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "description": "One act a line."},
        {"type": "array", "maxItems": 500, "items": {"type": "object"}},
    ],
    "description": "How tools behave: lines, or the same as a list of rules, which is kept as lines.",
}
BehaviorIn = Annotated[Any, WithJsonSchema(BEHAVIOR_SCHEMA)]
_Id = Annotated[int, Field(ge=1), AfterValidator(existing_id)]


class BehaviorProblemOut(BaseModel):
    """A line that is not understood; it is left to the model, where there is one."""

    line: int = Field(description="From 1.")
    text: str
    problem: str
    hint: str | None


class RowProblemOut(BehaviorProblemOut):
    row: int = Field(description="Position of the seed, or of the dataset's row, from 0.")


class BehaviorsIn(Body):
    behavior_instructions: BehaviorIn
    agent_id: _Id | None = Field(
        None, description="Whose tools and types there are: its published version, or its newest."
    )
    tools_schema: ToolsSchema = Field(None, description="Instead of `agent_id`.")
    world_id: _Id | None = Field(None, description="Whose types there are.")


class BehaviorLineOut(BaseModel):
    number: int = Field(description="From 1.")
    text: str
    rule: dict[str, Any] | None = Field(description="What the line says; null if it is not understood.")
    problem: str | None
    hint: str | None
    column: int | None = Field(description="Where in the line the problem is.")


class BehaviorsOut(BaseModel):
    text: str = Field(description="The lines, also of rules.")
    lines: list[BehaviorLineOut] = Field(description="Those that say something, in their order.")
    rules: list[dict[str, Any]] = Field(description="The lines that are understood, as rules.")
    understood: bool = Field(description="Whether all are.")
