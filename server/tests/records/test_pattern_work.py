"""How much text the patterns of a schema are matched against: as much as their size allows, wherever they stand."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.records.json_schema import SchemaInvalidError, compile_schema
from odyssey.records.patterns import MOST_PATTERNS, MOST_WORK, SIZES

LARGE = "a[ab]{1000}[c-e]"
LONG = "ab" * 10_000 + "c"
"""Fits no pattern here, and is more than the largest may look at."""
UUID = "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"
TOO_MUCH = "too much text for the patterns of the schema; send less, or write simpler patterns"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": LARGE}, LONG),
        ({"properties": {"a": {"pattern": LARGE}}}, {"a": LONG}),
        ({"items": {"pattern": LARGE}}, [LONG[:1_000]] * 20),
        ({"additionalProperties": {"pattern": LARGE}}, {str(n): LONG[:1_000] for n in range(20)}),
        ({"patternProperties": {LARGE: True}}, {LONG: 1}),
        ({"propertyNames": {"pattern": LARGE}}, {LONG: 1}),
        ({"propertyNames": {"anyOf": [{"pattern": LARGE}]}}, {LONG: 1}),
        ({"$defs": {"code": {"pattern": LARGE}}, "items": {"$ref": "#/$defs/code"}}, [LONG]),
        ({"allOf": [{"pattern": LARGE} for _ in range(20)]}, LONG[:1_000]),
        (
            {"$defs": {"c": {"pattern": LARGE}}, "allOf": [{"$ref": "#/$defs/c"} for _ in range(20)]},
            LONG[:1_000],
        ),
        ({"not": {"pattern": LARGE}}, LONG),
    ],
)
def test_a_large_pattern_does_not_get_much_text(schema: dict[str, Any], value: Any) -> None:
    compiled = compile_schema(schema)
    assert not compiled.is_valid(value)
    assert [error.msg for error in compiled.errors(value)] == [TOO_MUCH]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": "^[^<>]*$"}, "x" * 1_000_000),
        ({"pattern": r"^\S+$"}, "x" * 1_000_000),
        ({"pattern": r"^[\p{L}\s.,]+$"}, "é" * 250_000),
        ({"properties": {"id": {"pattern": LARGE}}}, {"note": LONG * 40}),
        ({"properties": {"id": {"pattern": LARGE}}}, {"id": "a" * 1_001 + "c", "note": LONG * 40}),
        ({"items": {"properties": {"id": {"pattern": "^x{1,9}$"}}}}, [{"id": "x", "n": LONG}] * 50),
        ({"items": {"pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"}}, [UUID] * 1_500),
    ],
)
def test_much_text_that_no_large_pattern_looks_at_fits(schema: dict[str, Any], value: Any) -> None:
    assert compile_schema(schema).errors(value) == []


@given(st.integers(1, 60), st.text("abc", max_size=200))
def test_a_short_text_is_matched_as_ever(count: int, text: str) -> None:
    pattern = f"a[ab]{{{count}}}c"
    assert compile_schema({"pattern": pattern}).is_valid(text) == bool(re.search(pattern, text))


def test_the_largest_pattern_looks_at_some_thousands_of_characters() -> None:
    longest = MOST_WORK // SIZES[-1]
    assert longest > 7_000
    fits = "a" * (longest - 1) + "c"
    assert compile_schema({"pattern": LARGE}).is_valid(fits)
    assert not compile_schema({"pattern": LARGE}).is_valid("a" + fits)


def test_a_schema_has_so_many_patterns() -> None:
    many = {"properties": {f"p{number}": {"pattern": "x"} for number in range(MOST_PATTERNS)}}
    compile_schema(many)
    with pytest.raises(
        SchemaInvalidError, match=f"has {MOST_PATTERNS + 1} patterns; at most {MOST_PATTERNS}"
    ):
        compile_schema({**many, "pattern": "x"})
