from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.kit.words import same_noun, stem, tokens
from odyssey.records.tools import EntityField, EntityType, LedgerSchema, Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.world.meaning import Intent, understand
from odyssey.worlds.identifiers import next_id
from odyssey.worlds.ledger import Ledger

WORLD = Ledger.boot(
    {
        "order": {
            "ord_1": {"order_id": "ord_1", "customer_id": "c1", "status": "cancelled", "total": 10},
            "ord_2": {"order_id": "ord_2", "customer_id": "c2", "status": "return requested", "total": 20},
        },
        "customer": {"c1": {"name": "Ada", "email": "ada@example.com"}},
    }
)
SCHEMA = LedgerSchema([EntityType("invoice", "number", fields=[EntityField("number", "integer")])])


def meaning_of(
    name: str, arguments: dict[str, Any], world: Ledger = WORLD, schema: LedgerSchema | None = None
) -> Intent:
    types = {str: "string", int: "integer"}
    properties = {key: {"type": types[type(value)]} for key, value in arguments.items()}
    tool = Tool(name, {"type": "object", "properties": properties, "required": list(arguments)})
    return understand(ToolCall(tool, arguments, schema, random_seed=1, sequence=1), world)


class TestMeaning:
    @pytest.mark.parametrize(
        ("name", "arguments", "meaning"),
        [
            ("get_order", {"order_id": "x"}, ("read", "order", "order_id")),
            ("getOrderDetails", {"orderId": "x"}, ("read", "order", "orderId")),
            ("order-lookup", {"id": "x"}, ("read", "order", "id")),
            ("fetch_order", {"reference": "x"}, ("read", "order", "reference")),
            ("get_status", {"order_id": "x"}, ("read", "order", "order_id")),
            ("list_orders", {}, ("list", "order", None)),
            ("get_orders", {"customer_id": "c1"}, ("read", "order", None)),
            ("get_customer_orders", {"customer_id": "c1"}, ("read", "order", None)),
            ("list_orders_for_customer", {"customer_id": "c1"}, ("list", "order", None)),
            ("search_customers", {"query": "x"}, ("list", "customer", None)),
            ("find_customer_by_email", {"email": "x"}, ("read", "customer", None)),
            ("create_order", {"customer_id": "c1"}, ("create", "order", None)),
            ("place_order", {"total": 3}, ("create", "order", None)),
            ("add_note", {"order_id": "ord_1", "text": "x"}, ("create", "note", None)),
            ("update_order", {"order_id": "x", "total": 2}, ("update", "order", "order_id")),
            ("set_order_total", {"order_id": "x", "total": 2}, ("update", "order", "order_id")),
            ("cancel_order", {"order_id": "x"}, ("update", "order", "order_id")),
            ("order_cancel", {"order_id": "x"}, ("update", "order", "order_id")),
            ("cancel_customer", {"customer_id": "x"}, ("remove", "customer", "customer_id")),
            ("return_order", {"order_id": "x"}, ("update", "order", "order_id")),
            ("delete_customer", {"customer_id": "x"}, ("remove", "customer", "customer_id")),
            ("remove_item_from_order", {"order_id": "x", "item": "y"}, ("unknown", None, None)),
            ("paint_order", {"order_id": "x"}, ("unknown", None, None)),
            ("calculate", {"expression": "1 + 1"}, ("unknown", None, None)),
            ("get_weather", {"city": "Paris"}, ("unknown", None, None)),
            ("_", {}, ("unknown", None, None)),
        ],
    )
    def test_comes_from_names(self, name: str, arguments: dict[str, Any], meaning: tuple[Any, ...]) -> None:
        intent = meaning_of(name, arguments)
        assert (intent.verb, intent.entity_type, intent.id_argument) == meaning

    @pytest.mark.parametrize("name", ["get_support_ticket", "get_ticket", "GetSupportTickets", "ticket_get"])
    def test_finds_compound_types_in_any_spelling(self, name: str) -> None:
        world = Ledger.boot({"SupportTickets": {"1": {}}, "support": {}, "agent": {}})
        assert meaning_of(name, {"ticket_id": "1"}, world).entity_type == "SupportTickets"

    def test_a_declared_type_needs_no_entities(self) -> None:
        intent = meaning_of("get_invoice", {"number": 1}, schema=SCHEMA)
        assert (intent.verb, intent.entity_type, intent.id_argument) == ("read", "invoice", "number")

    def test_a_schema_closes_the_world_to_new_types(self) -> None:
        assert meaning_of("create_note", {"text": "x"}, schema=SCHEMA).verb == "unknown"

    @pytest.mark.parametrize(
        "words",
        [
            ("cancel", "cancelled", "canceled", "cancelling", "cancellation"),
            ("ship", "shipped", "shipping", "shipment"),
            ("close", "closed", "closing"),
            ("deny", "denied"),
            ("process", "processed"),
            ("approve", "approval", "approved"),
            ("pay", "paid"),
        ],
    )
    def test_stems(self, words: tuple[str, ...]) -> None:
        assert len({stem(word) for word in words}) == 1

    @pytest.mark.parametrize(
        ("one", "many"),
        [
            ("order", "orders"),
            ("entry", "entries"),
            ("bus", "buses"),
            ("house", "houses"),
            ("person", "people"),
        ],
    )
    def test_plurals(self, one: str, many: str) -> None:
        assert same_noun(one, many)
        assert not same_noun(one, "status")

    def test_tokens(self) -> None:
        assert tokens("getHTTPOrder_by-id2") == ("get", "http", "order", "by", "id", "2")


class TestIdentifiers:
    @pytest.mark.parametrize(
        ("taken", "expected"),
        [
            ([], "order_1"),
            (["ord_1008", "ord_7"], "ord_1009"),
            (["#W123", "#W120"], "#W124"),
            (["42"], "43"),
            (["INV-2024-009", "INV-2024-001"], "INV-2024-010"),
            (["007"], "008"),
            (["ada", "bo"], "order_3"),
            (["ada_1", "bo_2", "order_4"], "order_4_"),
        ],
    )
    def test_continue_the_pattern(self, taken: list[str], expected: str) -> None:
        drawn = next_id("orders", taken, taken, random_seed=1, sequence=1)
        assert drawn not in taken
        if not expected.endswith("_"):
            assert drawn == expected

    @pytest.mark.parametrize(
        "taken",
        [["9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f"], ["65f0c0ffee12", "65f0c0ffee34"]],
    )
    def test_random_styles_are_drawn_from_the_seed(self, taken: list[str]) -> None:
        first = next_id("order", taken, taken, random_seed=1, sequence=1)
        assert first == next_id("order", taken, taken, random_seed=1, sequence=1)
        assert len({first, *(next_id("order", taken, taken, random_seed=1, sequence=n) for n in (2, 3))}) == 3
        assert len({first, *(next_id("order", taken, taken, random_seed=n, sequence=1) for n in (2, 3))}) == 3
        assert len(first) == len(taken[0])

    @given(
        taken=st.lists(
            st.text(max_size=8) | st.from_regex(r"[a-z]{0,2}[0-9]{1,20}", fullmatch=True), unique=True
        )
    )
    def test_are_always_new(self, taken: list[str]) -> None:
        assert next_id("order", taken, taken, random_seed=1, sequence=1) not in taken
