"""The smallest value: hand-made schemas with the expected value, drawn ones with a validator."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.records.json_schema import compile_schema
from odyssey.records.smallest import smallest_value

TREE = {
    "$ref": "#/$defs/node",
    "$defs": {"node": {"type": "object", "required": ["value", "next"], "properties": {
        "value": {"type": "integer"}, "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}}}},
}  # fmt: skip

CASES: list[tuple[Any, Any]] = [
    ({}, None),
    (True, None),
    ({"const": [1, 2]}, [1, 2]),
    ({"enum": ["b", "a"]}, "b"),
    ({"enum": [1, "a"], "type": "string"}, "a"),
    ({"type": "null"}, None),
    ({"type": "boolean"}, False),
    ({"type": "boolean", "allOf": [{"enum": [True]}]}, True),
    ({"type": "integer"}, 0),
    ({"type": "string"}, ""),
    ({"type": "array"}, []),
    ({"type": "object", "properties": {"a": {"type": "string"}}}, {}),
    ({"type": ["string", "null"]}, None),
    ({"type": ["object", "string"]}, ""),
    ({"type": "integer", "minimum": 3}, 3),
    ({"type": "integer", "exclusiveMinimum": 3}, 4),
    ({"type": "integer", "minimum": 3, "multipleOf": 5}, 5),
    ({"type": "integer", "maximum": -3}, -3),
    ({"type": "integer", "exclusiveMaximum": 0, "multipleOf": 4}, -4),
    ({"type": "number", "minimum": 0.5}, 1),
    ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, 0.5),
    ({"type": "number", "minimum": 0.1, "multipleOf": 0.25}, 0.25),
    ({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": True}, 2),
    ({"type": "string", "minLength": 3}, "aaa"),
    ({"type": "string", "format": "date-time"}, "2026-01-01T00:00:00Z"),
    ({"type": "string", "pattern": "^ORD-[0-9]{4}$"}, "ORD-0000"),
    ({"type": "string", "pattern": "^(open|closed)$"}, "open"),
    ({"type": "string", "pattern": r"^[^a]\w+(?:\.x)?$"}, "0a"),
    ({"type": "string", "pattern": "^[a-z]+$", "minLength": 3}, "aaa"),
    ({"required": ["a"]}, {"a": None}),
    ({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "minimum": 1}}}, {"a": 1}),
    ({"type": "object", "minProperties": 2, "properties": {"a": {"type": "string"}}}, {"a": "", "member1": None}),
    ({"type": "object", "required": ["x1"], "patternProperties": {"^x": {"type": "string"}}}, {"x1": ""}),
    ({"type": "object", "required": ["a"], "dependentRequired": {"a": ["b"]}}, {"a": None, "b": None}),
    ({"type": "array", "minItems": 2, "items": {"type": "integer"}}, [0, 0]),
    ({"type": "array", "minItems": 2, "prefixItems": [{"const": 1}], "items": {"type": "string"}}, [1, ""]),
    ({"type": "array", "minItems": 3, "uniqueItems": True, "items": {"type": "integer"}}, [0, 1, 2]),
    ({"type": "array", "minItems": 2, "uniqueItems": True, "items": {"enum": ["a", "b"]}}, ["a", "b"]),
    ({"type": "array", "contains": {"const": 7}}, [7]),
    ({"allOf": [{"type": "integer"}, {"minimum": 2}, {"minimum": 5}]}, 5),
    ({"anyOf": [False, {"type": "string"}]}, ""),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}, {"type": "string"}]}, ""),
    ({"type": "object", "required": ["k"], "properties": {"k": {"enum": ["a", "b"]}},
      "if": {"properties": {"k": {"const": "a"}}}, "then": {"required": ["x"]}}, {"k": "a", "x": None}),
    (TREE, {"value": 0, "next": None}),
    ({"$ref": "#n", "$defs": {"x": {"$anchor": "n", "type": "string"}}}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "expected"), CASES)
def test_smallest(schema: Any, expected: Any) -> None:
    value = smallest_value(schema)
    assert value == expected
    assert type(value) is type(expected)
    assert compile_schema(schema).errors(value) == []


IMPOSSIBLE: list[Any] = [
    False,
    {"not": {}},
    {"$ref": "#"},
    {"type": "nonsense"},
    {"type": "string", "pattern": r"\p{Greek}"},
    {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}},
    {"type": "array", "minItems": 10**9},
    {"type": "string", "minLength": 10**9},
    {"type": "integer", "minimum": 5, "maximum": 4},
    {"anyOf": [{"$ref": "#/$defs/a"}] * 30,
     "$defs": {"a": {"minItems": 1000, "items": {"minItems": 1000, "items": {"minItems": 1000}}}}},
]  # fmt: skip


@pytest.mark.parametrize("schema", IMPOSSIBLE)
def test_impossible_ends_without_an_error(schema: Any) -> None:
    smallest_value(schema)


def _bounds(low: int, span: int) -> dict[str, Any]:
    return {"minimum": low, "maximum": low + span}


INTEGERS = st.builds(
    lambda low, span: {"type": "integer", **_bounds(low, span)}, st.integers(-50, 50), st.integers(0, 9)
)
NUMBERS = st.builds(
    lambda low, span, step: {"type": "number", "minimum": low, "maximum": low + span, "multipleOf": step},
    st.integers(-50, 50),
    st.integers(2, 9),
    st.sampled_from([0.25, 0.5, 1, 2]),
)
STRINGS = st.builds(
    lambda least: {"type": "string", "minLength": least}, st.integers(0, 6)
) | st.sampled_from(
    [{"type": "string", "format": name} for name in ("date", "date-time", "uuid", "email", "uri")]
    + [{"type": "string", "pattern": pattern} for pattern in (r"^[A-Z]{2}\d+$", "a|b", "^x-(y|z)*$")]
)
SCALARS = st.one_of(
    INTEGERS,
    NUMBERS,
    STRINGS,
    st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"type": ["integer", "string"]}, {}, True]),
    st.lists(st.integers() | st.text(max_size=4) | st.none(), min_size=1, max_size=4, unique=True).map(
        lambda members: {"enum": members}
    ),
)
NAMES = st.sampled_from(["id", "status", "lines", "total"])


def _nest(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    objects = st.dictionaries(NAMES, inner, max_size=4).flatmap(
        lambda members: st.builds(
            lambda required, closed: {
                "type": "object",
                "properties": members,
                "required": required,
                **closed,
            },
            st.lists(st.sampled_from(sorted(members)), unique=True) if members else st.just([]),
            st.sampled_from([{}, {"additionalProperties": False}]),
        )
    )
    arrays = st.builds(
        lambda items, least: {"type": "array", "items": items, "minItems": least}, inner, st.integers(0, 3)
    )
    choices = st.lists(inner, min_size=1, max_size=3).map(lambda branches: {"anyOf": branches})
    conjunctions = inner.map(lambda schema: {"allOf": [schema, {}]})
    return objects | arrays | choices | conjunctions


@given(schema=st.recursive(SCALARS, _nest, max_leaves=12))
def test_drawn_schemas(schema: Any) -> None:
    value = smallest_value(schema)
    assert compile_schema(schema).errors(value) == []
