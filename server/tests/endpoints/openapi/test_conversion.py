"""Schemas of 3.0 and 3.1 mean the same in JSON Schema 2020-12: what the one takes, the other takes."""

from typing import Any

import pytest
from support.openapi import answer, only_tool, operation, parameter, read

from odyssey.records.json_schema import compile_schema


def converted(schema: Any, version: str = "3.0.3", **schemas: Any) -> Any:
    document = read(
        {"/x": {"get": operation(parameter("q", schema=schema))}},
        version=version,
        components={"schemas": schemas},
    )
    whole = only_tool(document).input_schema
    compile_schema(whole)
    return whole["properties"]["q"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        (
            {"type": "string", "enum": ["a"], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        ({"nullable": True}, {}),
        (
            {"allOf": [{"type": "object"}], "nullable": True, "description": "d"},
            {"description": "d", "anyOf": [{"allOf": [{"type": "object"}]}, {"type": "null"}]},
        ),
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"minimum": 1, "exclusiveMinimum": False}, {"minimum": 1}),
        ({"maximum": 1.5, "exclusiveMaximum": True}, {"exclusiveMaximum": 1.5}),
        ({"exclusiveMaximum": True}, {}),
        ({"type": "string", "example": "a"}, {"type": "string", "examples": ["a"]}),
        ({"type": "object", "discriminator": {"propertyName": "a"}, "xml": {}, "x-a": 1}, {"type": "object"}),
        ({"type": "file"}, {}),
        ({"type": {"a": 1}}, {}),
        ({"required": True, "enum": "a", "minLength": "5", "maxLength": -1, "pattern": 5}, {}),
        ({"required": ["a", "a", 5]}, {"required": ["a"]}),
        ({"type": "string", "pattern": "(?=a)"}, {"type": "string"}),
        ({"type": "string", "pattern": "^a+$"}, {"type": "string", "pattern": "^a+$"}),
        ({"items": [{"type": "string"}]}, {"prefixItems": [{"type": "string"}]}),
        ({"allOf": [], "properties": [], "items": 5}, {}),
        ({"additionalProperties": {"type": "string"}}, {"additionalProperties": {"type": "string"}}),
        ({"description": "x" * 5000}, {"description": "x" * 999 + "…"}),
        ({"multipleOf": 0}, {}),
    ],
)
def test_3_0(schema: Any, expected: Any) -> None:
    assert converted(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"type": ["string"]}, {"type": "string"}),
        ({"exclusiveMinimum": 1, "const": 5}, {"exclusiveMinimum": 1, "const": 5}),
        ({"prefixItems": [True, {"type": "string"}]}, {"prefixItems": [True, {"type": "string"}]}),
        ({"examples": ["a", "b"]}, {"examples": ["a", "b"]}),
        (
            {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": False},
            {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": False},
        ),
        ({"patternProperties": {"^a": {}, "(?=a)": {}}}, {"patternProperties": {"^a": {}}}),
        ({"dependentRequired": {"a": ["b"]}}, {"dependentRequired": {"a": ["b"]}}),
        ({"dependentRequired": {"a": "b"}}, {}),
        (
            {"$id": "https://a.example/x", "$schema": "https://a.example/y", "$anchor": "a", "type": "null"},
            {"type": "null"},
        ),
        (True, True),
    ],
)
def test_3_1(schema: Any, expected: Any) -> None:
    assert converted(schema, "3.1.0") == expected


def test_what_stands_beside_a_reference_counts_in_3_1_only() -> None:
    schema = {"$ref": "#/components/schemas/Pet", "required": ["name"], "description": "d"}
    pet = {"type": "object"}
    assert converted(schema, Pet=pet) == {"$ref": "#/$defs/Pet", "description": "d"}
    assert converted(schema, "3.1.0", Pet=pet) == {
        "$ref": "#/$defs/Pet",
        "description": "d",
        "required": ["name"],
    }


def test_a_reference_that_may_be_null() -> None:
    schema = {"$ref": "#/components/schemas/Pet", "nullable": True}
    assert converted(schema, Pet={"type": "object"}) == {"anyOf": [{"$ref": "#/$defs/Pet"}, {"type": "null"}]}


def test_a_small_scalar_stands_where_it_is_referred_to() -> None:
    state = {"type": "string", "enum": ["open", "closed"]}
    assert converted({"$ref": "#/components/schemas/State"}, State=state) == state


def test_what_is_only_read_is_not_demanded_of_a_request_nor_a_secret_of_an_answer() -> None:
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "readOnly": True},
            "password": {"type": "string", "writeOnly": True},
            "name": {"type": "string"},
        },
        "required": ["id", "password", "name"],
    }
    content = {"content": {"application/json": {"schema": schema}}, "required": True}
    tool = only_tool(read({"/x": {"post": operation(requestBody=content, responses=answer(schema))}}))
    assert tool.input_schema["required"] == ["password", "name"]
    assert tool.output_schema is not None
    assert tool.output_schema["required"] == ["id", "name"]
