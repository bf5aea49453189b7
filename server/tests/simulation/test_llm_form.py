"""The form of an answer: what models are held to, and that reading it takes nothing else."""

from typing import Any

import pytest
from hypothesis import given
from support.evidence import json_values

from odyssey.records.json_schema import compile_schema
from odyssey.records.ledger import Remove, Update
from odyssey.records.tools import EntityField, EntityType, FlagPolicy, LedgerSchema, Tool
from odyssey.simulation.engine import ToolCall
from odyssey.simulation.llm.form import (
    MOST_OPERATIONS,
    MOST_RESPONSE_BYTES,
    REFUSALS,
    answer_schema,
    is_refusal,
    operations_schema,
    read_answer,
)
from odyssey.worlds.ledger import Ledger

WORLD = Ledger.boot({"order": {"o1": {"order_id": "o1", "status": "open", "tags": [], "paid": True}}})
SCHEMA = LedgerSchema(
    [
        EntityType("order", "order_id", fields=[EntityField("status", "string", ["open", "closed"])]),
        EntityType("user", "user_id"),
    ],
    FlagPolicy("closed", ["vip"]),
)
UPDATE: dict[str, Any] = {"op": "update", "entity_type": "order", "id": "o1", "fields": {"status": "closed"}}
REFUSED: dict[str, Any] = {"error": {"code": "not_found", "message": "No."}}


def operations(schema: LedgerSchema | None = None, *, only_looks: bool = False) -> dict[str, Any]:
    call = ToolCall(Tool("close_order", {}), {}, schema, random_seed=1, sequence=1)
    return operations_schema(call, WORLD, ["order"], only_looks=only_looks)


def takes(schema: dict[str, Any], *given: dict[str, Any]) -> bool:
    return compile_schema(schema).is_valid(list(given))


def test_an_open_world_takes_every_operation() -> None:
    form = operations()
    assert takes(form, UPDATE, {"op": "add", "entity_type": "new", "id": "n", "fields": {"a": [1]}})
    assert takes(form, {"op": "remove", "entity_type": "order", "id": "o1"}, {"op": "set_flag", "flag": "x"})
    assert not takes(form, UPDATE | {"op": "refund"})
    assert not takes(form, UPDATE | {"why": "x"})
    assert not takes(form, *[UPDATE] * (MOST_OPERATIONS + 1))


def test_a_declared_world_takes_what_is_declared_or_what_entities_have() -> None:
    form = operations(SCHEMA)
    assert takes(form, UPDATE, UPDATE | {"fields": {"tags": ["a"], "paid": None}})
    assert takes(form, {"op": "add", "entity_type": "user", "id": "u", "fields": {"any": 1}})
    assert takes(form, {"op": "clear_flag", "flag": "vip"})
    for wrong in ({"status": "lost"}, {"paid": "yes"}, {"other": 1}):
        assert not takes(form, UPDATE | {"fields": wrong})
    assert not takes(form, UPDATE | {"entity_type": "coupon"})
    assert not takes(form, {"op": "set_flag", "flag": "other"})


def test_a_tool_that_only_looks_changes_nothing() -> None:
    form = operations(SCHEMA, only_looks=True)
    assert takes(form)
    assert not takes(form, UPDATE)
    assert not takes(form, {})


def test_a_large_declaration_does_not_make_a_large_form() -> None:
    fields = [EntityField(f"field_{number}", "string") for number in range(1000)]
    large = LedgerSchema([EntityType("order", "order_id", fields=fields)])
    assert len(str(operations(large))) < 2000
    assert takes(operations(large), UPDATE)


DEEP = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"$ref": {"const": "#/x"}, "order": {"$ref": "#/$defs/order"}, "next": {"$ref": "#"}},
    "required": ["order"],
    "$defs": {"order": {"type": "object", "required": ["order_id"]}},
}


@pytest.mark.parametrize(
    ("output", "fits", "not_fits"),
    [
        (None, [1, {"a": 1}, None], []),
        ({"type": "integer", "maximum": 9}, [3], [10, "a", {"error": {"code": "gone", "message": ""}}]),
        (
            DEEP,
            [{"order": {"order_id": 1}}, {"order": {"order_id": 1}, "next": {"order": {"order_id": 2}}}],
            [{"order": {}}, {}, {"order": {"order_id": 1}, "next": {}}],
        ),
        ({"$ref": "#/definitions/a", "definitions": {"a": {"enum": ["#/a"]}}}, ["#/a"], ["b"]),
        ({"properties": {"id": {"type": "string"}}, "type": "object"}, [{"id": "a"}], [{"id": 1}]),
        # a name of its own, an anchor, another document: such a schema is left to the check afterwards
        ({"$id": "https://a.test/b", "type": "integer"}, [1, "a"], []),
        ({"$anchor": "a", "type": "integer", "not": {"$ref": "#a"}}, ["a"], []),
        ({"type": "object", "properties": {"a": {"$ref": "other.json"}}}, [{"a": 1}], []),
        ({"type": "integer", "exclusiveMinimum": True}, ["a"], []),
        ({"type": "string", "description": "x" * 65_200}, [1], []),
    ],
)
def test_the_output_schema_stands_in_the_form(
    output: dict[str, Any] | None, fits: list[Any], not_fits: list[Any]
) -> None:
    form = answer_schema(output, operations())
    assert form["type"] == "object"
    compiled = compile_schema(form)
    for response in (*fits, REFUSED):
        assert compiled.is_valid({"response": response, "operations": []}), response
    for response in not_fits:
        assert not compiled.is_valid({"response": response, "operations": []}), response
    assert not compiled.is_valid({"response": REFUSED, "operations": [], "score": 1})


def test_an_answer_is_read_into_operations() -> None:
    value = {"response": 5, "operations": [UPDATE, {"op": "remove", "entity_type": "user", "id": "u"}]}
    read = read_answer(value)
    assert (read.response, read.errors) == (5, [])
    assert read.operations == (Update("order", "o1", {"status": "closed"}), Remove("user", "u"))


def test_all_faults_are_told_at_once_each_at_its_place() -> None:
    value = {"operations": [UPDATE, {"op": "x"}, 3, UPDATE | {"id": None}], "score": 1}
    found = {error.loc: error.msg for error in read_answer(value).errors}
    assert found.keys() == {
        ("score",),
        ("operations", 1),
        ("operations", 2),
        ("operations", 3),
        ("response",),
    }


def test_a_response_may_be_a_mebibyte() -> None:
    fitting = "x" * (MOST_RESPONSE_BYTES - 2)
    assert read_answer({"response": fitting, "operations": []}).errors == []
    (error,) = read_answer({"response": fitting + "x", "operations": []}).errors
    assert error.loc == ("response",)


@pytest.mark.parametrize("code", REFUSALS)
def test_a_refusal_is_told_by_its_form_alone(code: str) -> None:
    refusal = {"error": {"code": code, "message": "No."}}
    assert is_refusal(refusal)
    assert not any(
        is_refusal(other)
        for other in (refusal | {"order": 1}, refusal["error"], {"error": "No."}, {"error": {"code": code}})
    )
    assert read_answer({"response": refusal | {"order": 1}, "operations": [UPDATE]}).errors == []
    assert read_answer({"response": {"error": "No."}, "operations": []}).errors == []


@given(json_values)
def test_whatever_comes_is_read_or_refused(value: Any) -> None:
    for given_value in (value, {"response": value, "operations": value}):
        read = read_answer(given_value)
        assert read.errors or isinstance(given_value, dict)
        assert len(read.errors) <= 8
