"""Arguments that a program asks for and its tool does not have: nearly always a slip of the pen."""

from collections.abc import Collection, Iterator
from typing import Any

from odyssey.expressions.tokens import is_member, is_name, tokenize
from odyssey.records.faults import Faults, shown
from odyssey.records.tools import Tool

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
