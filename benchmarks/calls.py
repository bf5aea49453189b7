"""The measured call and the world it changes, the same for every server."""

import json
from collections.abc import Iterable
from typing import Any

NUMBERS = range(100)
STATUSES = ("shipped", "pending")
"""Every order begins as the last of these, and both are equally long: each call changes its order, none its size."""
NO_TOKEN = "-" * 43

UPDATE = "update_order"
READ = "get_order"
_ORDER_ID = {"type": "string"}
_STATUS = {"type": "string", "enum": list(STATUSES)}
_MONEY = {"type": "integer", "minimum": 0}
ARGUMENTS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"order_id": _ORDER_ID, "status": _STATUS},
    "required": ["order_id", "status"],
}
ORDER_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "order_id": _ORDER_ID,
        "status": _STATUS,
        "customer": {"type": "string"},
        "total_cents": _MONEY,
    },
    "required": ["order_id", "status", "customer", "total_cents"],
}
TOOLS_SCHEMA = [
    {"name": UPDATE, "input_schema": ARGUMENTS_SCHEMA, "output_schema": ORDER_SCHEMA},
    {
        "name": READ,
        "input_schema": {"type": "object", "properties": {"order_id": _ORDER_ID}, "required": ["order_id"]},
        "output_schema": ORDER_SCHEMA,
    },
]


def order_id(number: int) -> str:
    return f"ord_{number:02}"


def orders() -> list[dict[str, Any]]:
    return [
        {
            "order_id": order_id(number),
            "status": STATUSES[-1],
            "customer": f"cus_{number:02}",
            "total_cents": 1000 + number,
        }
        for number in NUMBERS
    ]


def updates(
    port: int, path: str, *, method: str = "POST", token: str = NO_TOKEN, numbers: Iterable[int] = NUMBERS
) -> list[str]:
    """Requests that, sent in turn over and over, change one order each. `{}` in `path` is the order's id."""
    numbers = list(numbers)
    return [
        _request(method, path.replace("{}", order_id(number)), port, token, _body(number, status))
        for status in STATUSES
        for number in numbers
    ]


def reads(port: int, path: str, *, token: str) -> list[str]:
    return [
        _request("POST", path, port, token, json.dumps({"order_id": order_id(number)})) for number in NUMBERS
    ]


def _body(number: int, status: str) -> str:
    return json.dumps({"order_id": order_id(number), "status": status})


def _request(method: str, path: str, port: int, token: str, body: str) -> str:
    return (
        f"{method} {path} HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{port}\r\n"
        "Content-Type: application/json\r\n"
        f"X-Pipelines-Run-Token: {token}\r\n"
        f"Content-Length: {len(body)}\r\n"
        "\r\n"
        f"{body}"
    )
