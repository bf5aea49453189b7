"""A small shop whose tools behave by lines, for tests of the lines."""

from typing import Any

from odyssey.expressions.facts import EarlierCall
from odyssey.records.tools import LedgerSchema, Tool
from odyssey.simulation.behaviours import Behaviours, read_behaviours, with_behaviours
from odyssey.simulation.engine import Answer, ToolCall
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger

STATE: dict[str, dict[str, dict[str, Any]]] = {
    "order": {
        "o1": {
            "order_id": "o1",
            "user_id": "u1",
            "status": "pending",
            "total": 30,
            "items": [{"sku": "a", "price": 10}, {"sku": "b", "price": 20}],
            "history": ["placed"],
            "address": {"city": "Graz", "zip": "8010"},
        },
        "o2": {
            "order_id": "o2",
            "user_id": "u2",
            "status": "shipped",
            "total": 5.5,
            "items": [],
            "history": [],
            "address": {"city": "Wien", "zip": "1010"},
        },
    },
    "user": {
        "u1": {"user_id": "u1", "name": "Ann", "team_id": "t1", "balance": 100},
        "u2": {"user_id": "u2", "name": "Bo", "team_id": "t1", "balance": 0},
    },
    "team": {"t1": {"team_id": "t1", "name": "Blue"}},
    "payment": {"pay_1": {"payment_id": "pay_1", "order_id": "o2", "amount": 5.5}},
}
WORLD = Ledger.boot(STATE)
TYPES = tuple(STATE)
TOOLS = (
    *("get_order", "cancel_order", "refund_order", "ship_order", "create_payment", "delete_order"),
    *("frobnicate", "update_order", "place_order", "get_user"),
)
_ENGINE = WorldEngine()
_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def read(text: str) -> Behaviours:
    """The behaviours of a text that must be understood wholly."""
    reading = read_behaviours(text, tools=TOOLS, types=TYPES)
    assert reading.errors == []
    assert [line for line in reading.lines if line.problem is not None] == []
    return reading.behaviours


def a_call(
    tool: str,
    arguments: dict[str, Any] | None = None,
    *,
    output: dict[str, Any] | None = None,
    schema: LedgerSchema | None = None,
    description: str = "",
    actor: str | None = None,
    calls: tuple[EarlierCall, ...] = (),
) -> ToolCall:
    arguments = {"order_id": "o1"} if arguments is None else arguments
    properties = {name: {"type": _KINDS.get(type(value), "null")} for name, value in arguments.items()}
    inputs = {"type": "object", "properties": properties, "required": list(arguments)}
    return ToolCall(Tool(tool, inputs, description, output), arguments, schema, 1, 1, actor, calls)


def ask(
    text: str,
    tool: str = "refund_order",
    arguments: dict[str, Any] | None = None,
    world: Ledger = WORLD,
    **options: Any,
) -> Answer:
    """What the world engine answers within the lines of a text."""
    call = a_call(tool, arguments, **options)
    return with_behaviours(read(text), call, world, lambda: _ENGINE.answer(call, world))
