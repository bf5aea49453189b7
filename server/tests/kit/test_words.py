"""The engine knows English, not trades: none of its words come from the data it is measured with."""

import ast
import re
from pathlib import Path

import pytest

from odyssey.kit.words import participle, singular
from odyssey.simulation import world

MEASURED = {
    "product": "name product_id variants",
    "user": "user_id name address email payment_methods orders",
    "order": (
        "order_id user_id address items status fulfillments payment_history cancel_reason exchange_items "
        "exchange_new_items exchange_payment_method_id exchange_price_difference return_items "
        "return_payment_method_id"
    ),
}
"""The types of the world that the engine is measured with, and the fields of each."""
COMMON = {
    "price",  # "cheapest first" is by nothing else
    "id",
    "name",
    "status",
    "state",
    "email",
    "order",
    "source",
    "items",
    "new",
    "reason",
    "cancel",
    "return",
}
"""Words every trade has (an order to sort in, an e-mail to send, a source to take from) and JSON Schema's own."""


def literals() -> set[str]:
    """The words of all texts in the engine that are no documentation."""
    found: set[str] = set()
    for path in Path(str(world.__file__)).parent.glob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in documentation
            ):
                found |= {word.lower() for word in re.findall(r"[A-Za-z]+", node.value)}
    return found


def test_no_type_or_field_of_the_measured_world_is_in_the_engine() -> None:
    trade: set[str] = set()
    for name, fields in MEASURED.items():
        for word in (name, *fields.split()):
            trade |= {singular(part) for part in word.split("_")} | set(word.split("_"))
    assert (trade & literals()) - COMMON == set()


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("cancel", "cancelled"),
        ("close", "closed"),
        ("deny", "denied"),
        ("ship", "shipped"),
        ("send", "sent"),
        ("return", "returned"),
        ("transfer", "transferred"),
        ("offer", "offered"),
        ("delay", "delayed"),
        ("reveal", "revealed"),
        ("fix", "fixed"),
        ("update", "updated"),
    ],
)
def test_participles(verb: str, expected: str) -> None:
    assert participle(verb) == expected
