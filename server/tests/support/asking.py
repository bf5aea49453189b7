"""Asking the world engine: a tool and its call from a name, arguments and a description."""

from typing import Any

from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def tool_call(
    name: str,
    arguments: dict[str, Any] | None = None,
    description: str = "",
    *,
    output: dict[str, Any] | None = None,
    schema: LedgerSchema | None = None,
    seed: int = 1,
    sequence: int = 1,
    properties: dict[str, Any] | None = None,
) -> ToolCall:
    """`properties`: what may be given besides."""
    given = arguments or {}
    types = {key: {"type": _TYPES.get(type(value), "null")} for key, value in given.items()}
    inputs = {"type": "object", "properties": types | (properties or {}), "required": list(given)}
    return ToolCall(Tool(name, inputs, description, output), given, schema, seed, sequence)


def ask(
    world: Ledger, name: str, arguments: dict[str, Any] | None = None, description: str = "", **options: Any
) -> Answer:
    return WorldEngine().answer(tool_call(name, arguments, description, **options), world)


def refusal(answer: Answer) -> tuple[str, str]:
    """Code and message of an answer that refuses and changes nothing."""
    assert answer.refused
    assert answer.operations == ()
    return answer.response["error"]["code"], answer.response["error"]["message"]
