"""The program of a tool, and how it is read: what it looks up, insists on and changes, and what it says then."""

from collections.abc import Collection, Iterator
from typing import Any, Literal, NamedTuple, get_args

import msgspec

from odyssey.expressions import Expression, Facts, Text, read_text
from odyssey.expressions.tokens import is_member, is_name, tokenize
from odyssey.records.faults import Faults, one_of, shown
from odyssey.records.tools import Tool
from odyssey.simulation.engine import Reading
from odyssey.simulation.programs.operation import OperationTemplate, read_operations
from odyssey.simulation.programs.template import (
    NamedExpressions,
    Template,
    evaluate_at,
    names_given,
    read_bare,
    read_names,
    read_template,
)

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
    read = [_read_requirement(item, index, faults.at(index), names) for index, item in enumerate(raw)]
    return tuple(each for each in read if each is not None)


def _read_requirement(raw: Any, index: int, faults: Faults, names: Collection[str]) -> Requirement | None:
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


MAX_BYTES = 64 * 1024
MEMBERS = ("describe", "let", "require", "operations", "after", "response")

_LONGEST_DESCRIPTION = 10_000
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


# Reading a program: every fault of it at once, so that none is left to fail when a call arrives.


def read_program(raw: Any, faults: Faults, *, tool: Tool) -> Program | None:
    """Read and compile a program; None when something is wrong with it, which `faults` then says."""
    before = faults.count()
    raw = _own_copy(raw, faults)
    if raw is None:
        return None
    faults.unknown_members(raw, MEMBERS, "a program")
    faults.text(raw, "describe", longest=_LONGEST_DESCRIPTION)
    given = {member: value for member, value in raw.items() if value is not None}
    names = read_names(given.get("let", {}), "let", faults.at("let"))
    known = names_given(given.get("let"))
    requirements = read_requirements(given.get("require", []), faults.at("require"), names=known)
    operations = read_operations(given.get("operations", []), faults.at("operations"), names=known)
    after = read_names(given.get("after", {}), "after", faults.at("after"), known=known)
    known_after = known | names_given(given.get("after"))
    response = read_template(given.get("response", {}), faults.at("response"), names=known_after)
    check_arguments(raw, tool, faults)
    if faults.count() > before or response is None:
        return None
    return Program(raw, names, requirements, operations, after, response)


def _own_copy(raw: Any, faults: Faults) -> dict[str, Any] | None:
    """The object as plain JSON, if it is of bearable size; what is beyond is not even looked through."""
    if not isinstance(raw, dict):
        faults.add(f"a program is an object with {', '.join(MEMBERS)}, not {shown(raw)}")
        return None
    try:
        text = msgspec.json.encode(raw)
        if len(text) > MAX_BYTES:
            faults.add(f"a program has at most {MAX_BYTES} bytes as JSON; this one has {len(text)}")
            return None
        copied: dict[str, Any] = msgspec.json.decode(text)
    except (OverflowError, RecursionError, TypeError, ValueError):
        faults.add("a program is plain JSON, and this is not")
        return None
    return copied


# Arguments that a program asks for and its tool does not have: nearly always a slip of the pen.
# With one of these a schema says more than its properties, so an unknown argument may be meant.
_OPEN = (
    "$ref",
    "allOf",
    "anyOf",
    "oneOf",
    "patternProperties",
    "if",
    "dependentSchemas",
    "additionalProperties",
)

Place = tuple[str | int, ...]


def check_arguments(raw: dict[str, Any], tool: Tool, faults: Faults) -> None:
    """Add a fault for every `args.x` that the input schema does not name, unless it leaves that open."""
    properties = tool.input_schema.get("properties")
    if not isinstance(properties, dict) or any(tool.input_schema.get(member) for member in _OPEN):
        return
    for place, text in _texts(raw, ()):
        if _is_expression(place, text):
            _check_text(text, properties, faults.at(*place))


def _check_text(text: str, properties: Collection[str], faults: Faults) -> None:
    tokens = tokenize(text.removeprefix("="))
    for position, name_at in enumerate(tokens[:-2]):
        if name_at != "args" or is_member(tokens, position) or tokens[position + 1] != ".":
            continue
        name = tokens[position + 2]
        if is_name(name) and name not in properties:
            hint = faults.hint(name, properties) or _there_are(properties)
            faults.add(f"the tool has no argument {shown(name)}{hint}")


def _there_are(properties: Collection[str]) -> str:
    return f"; it has {', '.join(properties)}" if properties else "; it has none"


def _is_expression(place: Place, text: str) -> bool:
    """Whether the text at this place is worked out; in a message or a description it is not."""
    match place:
        case ("let" | "after", _) | ("require", _, "that"):
            return True
        case ("operations", _, "when") | ("operations", _, "each" | "let", _):
            return True
        case ("operations" | "response", *_):
            return text.startswith("=")
    return False


def _texts(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, (*place, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*place, index))
