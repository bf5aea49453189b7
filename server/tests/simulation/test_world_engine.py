import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.records.canonical import canonical_json
from odyssey.records.json_schema import compile_schema
from odyssey.records.ledger import Add, Remove, Update
from odyssey.records.tools import EntityField, EntityType, LedgerSchema, Tool
from odyssey.simulation.engine import Answer, Engine, Reading, ToolCall
from odyssey.simulation.world.engine import WorldEngine
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

ORDER_1 = {"order_id": "ord_1", "customer_id": "c1", "status": "open", "total": 10}
ORDER_2 = {"order_id": "ord_2", "customer_id": "c2", "status": "cancelled", "total": 20}
ORDER_3 = {"order_id": "ord_3", "customer_id": "c1", "status": "return requested", "total": 10.0}
STATE: dict[str, dict[str, dict[str, Any]]] = {
    "order": {"ord_1": ORDER_1, "ord_2": ORDER_2, "ord_3": ORDER_3},
    "customer": {
        "c1": {"name": "Ada", "email": "ada@example.com"},
        "c2": {"name": "Bo", "email": "bo@example.com"},
    },
}
WORLD = Ledger.boot(STATE)
SCHEMA = LedgerSchema(
    entities=[
        EntityType(
            "order",
            "order_id",
            fields=[
                EntityField("status", "string", enum=["open", "shipped", "cancelled"]),
                EntityField("total", "number"),
            ],
        ),
    ]
)

ENGINE: Engine = WorldEngine()


def call(
    name: str,
    arguments: dict[str, Any] | None = None,
    *,
    required: list[str] | None = None,
    output: dict[str, Any] | None = None,
    schema: LedgerSchema | None = None,
    seed: int = 1,
    sequence: int = 1,
) -> ToolCall:
    arguments = arguments or {}
    types = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}
    properties = {key: {"type": types.get(type(value), "null")} for key, value in arguments.items()}
    inputs = {
        "type": "object",
        "properties": properties,
        "required": list(arguments) if required is None else required,
    }
    return ToolCall(Tool(name, inputs, output_schema=output), arguments, schema, seed, sequence)


def ask(name: str, arguments: dict[str, Any] | None = None, world: Ledger = WORLD, **options: Any) -> Answer:
    return ENGINE.answer(call(name, arguments, **options), world)


def error(answer: Answer) -> tuple[str, str]:
    assert answer.refused
    assert answer.operations == ()
    return answer.response["error"]["code"], answer.response["error"]["message"]


class TestReading:
    def test_an_entity_by_its_id(self) -> None:
        answer = ask("get_order", {"order_id": "ord_1"})
        assert answer.response == ORDER_1
        assert type(answer.response) is dict
        assert answer.operations == ()
        assert answer.certainty > 0.8

    def test_a_type_that_only_an_argument_names_is_a_guess(self) -> None:
        answer = ask("get_shipping_label", {"order_id": "ord_1"})
        assert answer.response == ORDER_1
        assert answer.certainty == 0.5

    def test_a_missing_one_is_refused_in_words(self) -> None:
        assert error(ask("get_order", {"order_id": "ord_9"})) == (
            "not_found",
            "No order with id 'ord_9' exists.",
        )

    def test_a_type_that_lost_its_last_entity_is_still_known(self) -> None:
        world = apply(Ledger.boot({"note": {"n1": {}}}), [Remove("note", "n1")], "strict").ledger
        assert error(ask("get_note", {"note_id": "n1"}, world))[0] == "not_found"

    def test_an_id_may_be_a_number(self) -> None:
        world = Ledger.boot({"task": {"42": {"id": 42, "title": "x"}}})
        assert ask("get_task", {"id": 42}, world).response == {"id": 42, "title": "x"}

    def test_one_by_its_fields(self) -> None:
        answer = ask("find_customer_by_email", {"email": "bo@example.com"})
        assert answer.response == {"id": "c2", "name": "Bo", "email": "bo@example.com"}
        assert error(ask("find_customer_by_email", {"email": "x"})) == (
            "not_found",
            "No customer with email 'x' exists.",
        )

    def test_all_of_a_type_in_the_order_they_came(self) -> None:
        assert ask("list_orders").response == [ORDER_1, ORDER_2, ORDER_3]
        assert ask("get_all_customers").response == [
            {"id": "c1", "name": "Ada", "email": "ada@example.com"},
            {"id": "c2", "name": "Bo", "email": "bo@example.com"},
        ]

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ({"customerId": "c1"}, [ORDER_1, ORDER_3]),
            ({"total": 10}, [ORDER_1, ORDER_3]),
            ({"total": 10.0, "status": "open"}, [ORDER_1]),
            ({"total": True}, []),
            ({"status": None}, [ORDER_1, ORDER_2, ORDER_3]),
            ({"limit": 2}, [ORDER_1, ORDER_2]),
            ({"page_size": 1, "offset": 1}, [ORDER_2]),
            ({"limit": 0}, []),
            ({"order_id": "ord_2"}, [ORDER_2]),
        ],
    )
    def test_filters(self, arguments: dict[str, Any], expected: list[Any]) -> None:
        answer = ask("list_orders", arguments)
        assert answer.response == expected
        assert answer.certainty == 0.9

    def test_an_argument_that_names_no_field_lowers_the_confidence(self) -> None:
        answer = ask("search_orders", {"colour": "red"})
        assert answer.response == [ORDER_1, ORDER_2, ORDER_3]
        assert 0.3 < answer.certainty < 0.9


class TestCreating:
    def test_draws_an_id_in_the_worlds_own_style(self) -> None:
        answer = ask("create_order", {"customerId": "c1", "total": 5})
        fields = {"order_id": "ord_4", "customer_id": "c1", "total": 5}
        assert answer.operations == (Add("order", "ord_4", fields),)
        assert answer.response == fields

    def test_tells_an_id_the_entity_does_not_carry(self) -> None:
        answer = ask("create_customer", {"name": "Cy"})
        assert answer.operations == (Add("customer", "c3", {"name": "Cy"}),)
        assert answer.response == {"id": "c3", "name": "Cy"}

    def test_keeps_a_given_id_and_refuses_one_that_is_taken(self) -> None:
        answer = ask("create_order", {"order_id": "mine"})
        assert answer.operations == (Add("order", "mine", {"order_id": "mine"}),)
        taken = ask("create_order", {"order_id": "ord_1"})
        assert error(taken) == ("conflict", "The order with id 'ord_1' exists already.")

    def test_repeats_an_integer_id_as_an_integer(self) -> None:
        world = Ledger.boot({"task": {"7": {"id": 7}}})
        answer = ask("create_task", {"title": "x"}, world)
        assert answer.operations == (Add("task", "8", {"title": "x", "id": 8}),)

    def test_makes_the_first_of_a_type_in_an_open_ledger(self) -> None:
        answer = ask("open_support_tickets", {"subject": "x"})
        assert answer.operations == (Add("support_ticket", "support_ticket_1", {"subject": "x"}),)
        assert answer.certainty < 0.9

    def test_refuses_a_value_the_schema_forbids(self) -> None:
        answer = ask("create_order", {"total": "much"}, schema=SCHEMA)
        assert error(answer) == ("bad_value", "total must be a number; 'much' is not.")


class TestUpdating:
    def test_changes_the_fields_the_arguments_name(self) -> None:
        answer = ask("update_order", {"order_id": "ord_1", "new_total": 12, "customerId": "c2"})
        assert answer.operations == (Update("order", "ord_1", {"total": 12, "customer_id": "c2"}),)
        assert answer.response == {**ORDER_1, "total": 12, "customer_id": "c2"}

    @pytest.mark.parametrize(
        ("name", "schema", "status"),
        [
            ("cancel_order", None, "cancelled"),
            ("return_order", None, "return requested"),
            ("mark_order_as_cancelled", None, "cancelled"),
            ("ship_order", SCHEMA, "shipped"),
            ("open_order", SCHEMA, "open"),
        ],
    )
    def test_a_verb_can_be_a_status(self, name: str, schema: LedgerSchema | None, status: str) -> None:
        answer = ask(name, {"order_id": "ord_1", "reason": "x"}, schema=schema)
        assert answer.operations == (Update("order", "ord_1", {"status": status}),)
        assert answer.response == {**ORDER_1, "status": status}

    def test_an_adjective_is_the_status_it_must_have(self) -> None:
        assert error(ask("modify_cancelled_order", {"order_id": "ord_1", "total": 5})) == (
            "conflict",
            "Order ord_1 is open, not cancelled, so it cannot be modified.",
        )
        answer = ask("modify_cancelled_order", {"order_id": "ord_2", "total": 5})
        assert answer.operations == (Update("order", "ord_2", {"total": 5}),)

    def test_refuses_what_is_not_there_and_what_does_not_fit(self) -> None:
        assert error(ask("update_order", {"order_id": "ord_9", "total": 1}))[0] == "not_found"
        answer = ask("update_order", {"order_id": "ord_1", "status": "lost"}, schema=SCHEMA)
        assert error(answer) == (
            "bad_value",
            "status must be one of 'open', 'shipped', 'cancelled'; 'lost' is not.",
        )

    def test_never_changes_an_id(self) -> None:
        answer = ask("update_order", {"id": "ord_1", "total": 3}, required=["id"])
        assert answer.operations == (Update("order", "ord_1", {"total": 3}),)


class TestRemoving:
    def test_removes_what_is_there(self) -> None:
        answer = ask("delete_customer", {"customer_id": "c1"})
        assert answer.operations == (Remove("customer", "c1"),)
        assert error(ask("delete_customer", {"customer_id": "c9"}))[0] == "not_found"

    def test_says_that_it_did(self) -> None:
        output = {
            "type": "object",
            "properties": {"deleted": {"type": "boolean"}, "customer_id": {"type": "string"}},
            "required": ["deleted", "customer_id"],
            "additionalProperties": False,
        }
        answer = ask("delete_customer", {"customer_id": "c1"}, output=output)
        assert answer.response == {"deleted": True, "customer_id": "c1"}


class TestUnknown:
    @pytest.mark.parametrize(
        ("output", "expected"),
        [(None, {}), ({"type": "object"}, {}), ({"type": "array"}, []), ({"type": "integer"}, 0)],
    )
    def test_gets_the_smallest_answer(self, output: Any, expected: Any) -> None:
        answer = ask("dance", {"steps": "1 + 1"}, output=output)
        assert answer.response == expected
        assert answer.operations == ()
        assert answer.certainty <= 0.3
        assert answer.reading == Reading("none")
        assert not answer.refused


ORDER_SHAPE = {
    "type": "object",
    "properties": {"order_id": {"type": "string"}, "status": {"type": "string"}},
    "required": ["order_id", "status"],
    "additionalProperties": False,
}
SHORT_1 = {"order_id": "ord_1", "status": "open"}


class TestShape:
    @pytest.mark.parametrize(
        ("output", "expected"),
        [
            ({"type": "object"}, ORDER_1),
            (ORDER_SHAPE, SHORT_1),
            ({"$ref": "#/$defs/Order", "$defs": {"Order": ORDER_SHAPE}}, SHORT_1),
            (
                {"type": "object", "properties": {"order": ORDER_SHAPE}, "required": ["order"]},
                {"order": SHORT_1},
            ),
            (
                {"type": "object", "properties": {"result": ORDER_SHAPE}, "required": ["result"]},
                {"result": SHORT_1},
            ),
            (
                {
                    "type": "object",
                    "properties": {
                        "order": {"$ref": "#/$defs/Order"},
                        "status": {"type": "string"},
                        "found": {"type": "boolean"},
                    },
                    "required": ["order", "status", "found"],
                    "$defs": {"Order": ORDER_SHAPE},
                },
                {"order": SHORT_1, "status": "open", "found": False},
            ),
            ({"type": "array", "items": ORDER_SHAPE}, [SHORT_1]),
            ({"anyOf": [{"type": "null"}, ORDER_SHAPE]}, SHORT_1),
            (
                {"type": "object", "properties": {"orderId": {"type": "string"}}, "required": ["orderId"]},
                {**ORDER_1, "orderId": "ord_1"},
            ),
            ({"type": "string"}, "ord_1"),
        ],
    )
    def test_of_an_entity(self, output: dict[str, Any], expected: Any) -> None:
        answer = ask("get_order", {"order_id": "ord_1"}, output=output)
        assert answer.response == expected
        assert compile_schema(output).is_valid(answer.response)

    @pytest.mark.parametrize(
        ("output", "expected"),
        [
            ({"type": "array", "items": ORDER_SHAPE}, [SHORT_1]),
            (
                {
                    "type": "object",
                    "properties": {
                        "warnings": {"type": "array"},
                        "orders": {"type": "array", "items": ORDER_SHAPE},
                        "total_count": {"type": "integer"},
                    },
                    "required": ["orders", "total_count", "warnings"],
                },
                {"orders": [SHORT_1], "total_count": 1, "warnings": []},
            ),
            (
                {"type": "object", "properties": {"data": {"type": "array"}}, "required": ["data"]},
                {"data": [ORDER_1]},
            ),
        ],
    )
    def test_of_a_list(self, output: dict[str, Any], expected: Any) -> None:
        answer = ask("list_orders", {"status": "open"}, output=output)
        assert answer.response == expected
        assert compile_schema(output).is_valid(answer.response)

    def test_what_is_inside_an_entity_is_not_taken_for_one(self) -> None:
        world = Ledger.boot(
            {"order": {"o1": {"id": "o1", "lines": [{"sku": "a", "extra": 1}], "to": {"city": "x"}}}}
        )
        line = {
            "type": "object",
            "properties": {"sku": {"type": "string"}, "id": {"type": "string"}},
            "required": ["sku", "id"],
            "additionalProperties": False,
        }
        place = {"type": "object", "properties": {"geo": {"type": "object"}}, "required": ["geo"]}
        output = {"type": "object", "properties": {"lines": {"type": "array", "items": line}, "to": place}}
        answer = ask("get_order", {"id": "o1"}, world, output=output)
        assert answer.response == {
            "id": "o1",
            "lines": [{"sku": "a", "id": ""}],
            "to": {"city": "x", "geo": {}},
        }

    def test_an_invented_value_lowers_the_confidence(self) -> None:
        output = {"type": "object", "properties": {"eta": {"type": "string"}}, "required": ["eta"]}
        answer = ask("get_order", {"order_id": "ord_1"}, output=output)
        assert answer.response == {**ORDER_1, "eta": ""}
        assert answer.certainty <= 0.5

    @pytest.mark.parametrize(
        "output",
        [
            {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]},
            {"type": "array", "items": {"$ref": "#"}},
            {
                "type": "object",
                "properties": {"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
                "required": ["a"],
            },
        ],
    )
    def test_ends_on_recursive_schemas(self, output: dict[str, Any]) -> None:
        canonical_json(ask("get_order", {"order_id": "ord_1"}, output=output).response)


NAMES = st.sampled_from(
    ["get", "list", "create", "update", "delete", "cancel", "order", "customers", "by", "x"]
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(["order_id", "customer_id", "id", "status", "total", "limit", "note"]),
    st.sampled_from(["ord_1", "c1", "open", 10, 1.5, True, None, ["a"], {"b": [1]}]),
    max_size=3,
)
OUTPUTS = st.sampled_from(
    [None, ORDER_SHAPE, {"type": "array", "items": ORDER_SHAPE}, {"type": "object"}, {"type": "boolean"}]
)


class TestAnyCall:
    @given(
        words=st.lists(NAMES, min_size=1, max_size=4),
        arguments=ARGUMENTS,
        output=OUTPUTS,
        declared=st.booleans(),
    )
    def test_is_repeatable_and_leaves_its_inputs_alone(
        self, words: list[str], arguments: dict[str, Any], output: Any, declared: bool
    ) -> None:
        asked = call("_".join(words), arguments, output=output, schema=SCHEMA if declared else None)
        before = copy.deepcopy((asked.arguments, asked.tool.output_schema))
        world_before = WORLD.hash()
        first, second = ENGINE.answer(asked, WORLD), WorldEngine().answer(asked, Ledger.boot(STATE))
        assert canonical_json(first.response) == canonical_json(second.response)
        assert first.operations == second.operations
        assert not apply(WORLD, first.operations, "strict").refused
        assert 0 <= first.certainty <= 1
        assert first.explanation
        assert (asked.arguments, asked.tool.output_schema) == before
        assert Ledger.boot(WORLD.to_state()).hash() == world_before
