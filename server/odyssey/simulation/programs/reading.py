"""Reading the program of a tool: every fault of it at once, so that none is left to fail when a call arrives."""

from collections.abc import Collection, Iterator
from typing import Any

import msgspec

from odyssey.expressions.tokens import is_member, is_name, tokenize
from odyssey.records.faults import Faults, shown
from odyssey.records.tools import Tool
from odyssey.simulation.programs.operation import read_operations
from odyssey.simulation.programs.program import MEMBERS, Program, read_requirements
from odyssey.simulation.programs.template import names_given, read_names, read_template

MAX_BYTES = 64 * 1024

_LONGEST_DESCRIPTION = 10_000


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
            _check(text, properties, faults.at(*place))


def _check(text: str, properties: Collection[str], faults: Faults) -> None:
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
