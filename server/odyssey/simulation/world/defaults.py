"""What a call means that it does not say: defaults of the schema, defaults of the description."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from odyssey.kit.caches import Same
from odyssey.kit.words import tokens
from odyssey.simulation.engine import ToolCall
from odyssey.worlds.ledger import copy_json

_UNLESS_TOLD = (
    r"\b{value}['\"`]?,? (?:unless (?:told|asked|given|said|stated|specified|another|you|otherwise)|by default|"
    r"(?:when|if) (?:left out|omitted|not given|none is|nothing is))"
)
_DEFAULTS_TO = r"\b(?:defaults? (?:to|is|of)|default:?)\s+['\"`]?{value}\b"


def with_defaults(call: ToolCall) -> ToolCall:
    """Fill in what schema and description say of arguments that are left out."""
    # "Lists a student's enrollments of one status (Enrolled unless told otherwise)" says a default as a schema does.
    # One that is an empty text says that nothing is given: `list_orders(customer_id="")` is about all customers.
    schema = Same(call.tool.input_schema)
    defaults = _defaults(schema, call.tool.description)
    missing = {name: value for name, value in defaults.items() if name not in call.arguments}
    empty = [name for name in _empty_by_default(schema) if call.arguments.get(name) == ""]
    if not (missing or empty):
        return call
    given = {name: value for name, value in call.arguments.items() if name not in empty}
    return msgspec.structs.replace(call, arguments={**given, **copy_json(missing)})


@lru_cache(maxsize=1024)
def _empty_by_default(schema: Same) -> tuple[str, ...]:
    return tuple(name for name, declared in properties_of(schema.it) if declared.get("default") == "")


@lru_cache(maxsize=1024)
def _defaults(schema: Same, description: str) -> dict[str, Any]:
    defaults = {}
    for name, declared in properties_of(schema.it):
        if declared.get("default") not in (None, ""):
            defaults[name] = declared["default"]
        elif isinstance(declared.get("enum"), list):
            said = f"{declared.get('description') or ''} {description}"
            found = [
                value for value in declared["enum"] if isinstance(value, str) and _is_default(value, said)
            ]
            defaults |= {name: found[0]} if len(found) == 1 else {}
    return defaults


def _is_default(value: str, said: str) -> bool:
    patterns = (_UNLESS_TOLD, _DEFAULTS_TO)
    return any(re.search(each.format(value=re.escape(value)), said, re.IGNORECASE) for each in patterns)


def without_idle(call: ToolCall, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a look-up without switches that are off, as they are if nothing is said of them."""
    # `list_devices(online=false)` where online is false by default shows all: only true narrows the list.
    # `include_archived=false` narrows it by being false.
    idle = [
        name
        for name in _switches(Same(call.tool.input_schema))
        if arguments.get(name) is False and tokens(name)[:1] != ("include",)
    ]
    return {name: value for name, value in arguments.items() if name not in idle} if idle else dict(arguments)


@lru_cache(maxsize=1024)
def _switches(schema: Same) -> tuple[str, ...]:
    return tuple(name for name, each in properties_of(schema.it) if each.get("default") is False)


def properties_of(schema: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    properties = schema.get("properties")
    for name, declared in properties.items() if isinstance(properties, dict) else ():
        if isinstance(declared, dict):
            yield name, declared
