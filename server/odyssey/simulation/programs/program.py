"""The program of a tool: what it looks up, what it insists on, what it changes and what it says then."""

from collections.abc import Collection
from typing import Any, Literal, NamedTuple, get_args

from odyssey.expressions import Expression, Facts, Text, read_text
from odyssey.records.faults import Faults, one_of, shown
from odyssey.simulation.engine import Reading
from odyssey.simulation.programs.operation import OperationTemplate
from odyssey.simulation.programs.template import NamedExpressions, Template, evaluate_at, read_bare

# What must hold for a program to go on, and what the tool answers when it does not.

MAX_REQUIREMENTS = 50

Code = Literal["not_found", "conflict", "bad_value"]
CODES: tuple[Code, ...] = get_args(Code)

_MEMBERS = ("that", "else")


class Refusal(NamedTuple):
    code: Code
    message: str


class Requirement(NamedTuple):
    place: str
    that: Expression
    code: Code
    message: Text

    @property
    def uses_calls(self) -> bool:
        return self.that.uses_calls or self.message.uses_calls

    def check(self, facts: Facts) -> Refusal | None:
        if evaluate_at(f"{self.place}.that", self.that.holds, facts):
            return None
        return Refusal(self.code, evaluate_at(f"{self.place}.else", self.message.render, facts))


def read_requirements(raw: Any, faults: Faults, *, names: Collection[str]) -> tuple[Requirement, ...]:
    if not isinstance(raw, list):
        faults.add(f'must be a list of {{"that", "else"}}, not {shown(raw)}')
        return ()
    if len(raw) > MAX_REQUIREMENTS:
        faults.add(f"has {len(raw)} requirements; at most {MAX_REQUIREMENTS} are allowed")
        return ()
    read = [_read(item, index, faults.at(index), names) for index, item in enumerate(raw)]
    return tuple(each for each in read if each is not None)


def _read(raw: Any, index: int, faults: Faults, names: Collection[str]) -> Requirement | None:
    if not isinstance(raw, dict):
        faults.add(f'a requirement is an object {{"that", "else"}}, not {shown(raw)}')
        return None
    faults.unknown_members(raw, _MEMBERS, "a requirement")
    that = None
    if "that" in raw:
        that = read_bare(raw["that"], faults.at("that"), names=names)
    else:
        faults.add("that is missing: the expression that must hold", "that")
    code, message = _read_else(raw.get("else"), faults.at("else"), names)
    if that is None or code is None or message is None:
        return None
    return Requirement(f"require[{index}]", that, code, message)


def _read_else(raw: Any, faults: Faults, names: Collection[str]) -> tuple[Code | None, Text | None]:
    if raw is None:
        faults.add("else is missing: what the tool answers when it does not hold")
        return None, None
    if not isinstance(raw, dict):
        return "conflict", _read_message(raw, faults, names)
    faults.unknown_members(raw, ("code", "message"), "else")
    if "message" not in raw:
        faults.add("message is missing", "message")
        return None, None
    code = _read_code(raw.get("code", "conflict"), faults.at("code"))
    return code, _read_message(raw["message"], faults.at("message"), names)


def _read_message(raw: Any, faults: Faults, names: Collection[str]) -> Text | None:
    if not isinstance(raw, str) or not raw:
        faults.add(f"must be a text that is not empty, not {shown(raw)}")
        return None
    return read_text(raw, faults, names=names)


def _read_code(raw: Any, faults: Faults) -> Code | None:
    for code in CODES:
        if raw == code:
            return code
    near = faults.hint(raw, CODES) if isinstance(raw, str) else ""
    faults.add(f"code must be {one_of(CODES)}, not {shown(raw)}{near}")
    return None


MEMBERS = ("describe", "let", "require", "operations", "after", "response")

_CLASSES = {"add": "create", "remove": "remove"}


class Program(NamedTuple):
    raw: dict[str, Any]
    """As it was written."""
    names: NamedExpressions
    requirements: tuple[Requirement, ...]
    operations: tuple[OperationTemplate, ...]
    names_after: NamedExpressions
    response: Template

    @property
    def uses_calls(self) -> bool:
        """Whether it looks at earlier calls; if not, nobody needs to remember them."""
        return (
            any(names.uses_calls for names in (self.names, self.names_after))
            or any(requirement.uses_calls for requirement in self.requirements)
            or any(operation.uses_calls for operation in self.operations)
            or self.response.uses_calls
        )

    @property
    def reading(self) -> Reading:
        """What it does, by the operations that are written down; the first on an entity says to what."""
        if not self.operations:
            return Reading("read")
        first = next((each for each in self.operations if each.entity_type), self.operations[0])
        fields = first.fields.raw if first.fields is not None and isinstance(first.fields.raw, dict) else {}
        return Reading(_CLASSES.get(first.op, "update"), first.entity_type or None, tuple(fields))
