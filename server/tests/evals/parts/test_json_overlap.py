from typing import Any

import pytest
from hypothesis import given
from support.behaviours import JSON

from odyssey.evals.parts import FirstDifference, first_json_difference, overlap_distance
from odyssey.worlds.ledger import json_equal

PROSE = "the customer asked for a full refund"


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, 0.5),
        ({"a": 1}, {"a": 1.0}, 0),
        ({"a": 1}, {"a": True}, 1),
        ({"a": None}, {}, 1),
        ({}, [], 1),
        ({"a": 1}, {"a": 1, "b": 2}, 1 - 2 / 3),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, 0.5),
        ([1, 2, 3], [0, 1, 2, 3], 1 - 6 / 7),
        ([1, 2], [2, 1], 0.5),
        ("approve it", "refuse it", 1),
        (PROSE, PROSE.replace("full", "partial"), 1 / 7),
    ],
)
def test_what_is_shared_is_counted_in_leaves(left: Any, right: Any, expected: float) -> None:
    assert overlap_distance(left, right) == pytest.approx(expected)


@given(JSON, JSON)
def test_it_is_symmetric_and_zero_for_the_same(left: Any, right: Any) -> None:
    found = overlap_distance(left, right)
    assert 0 <= found <= 1
    assert found == pytest.approx(overlap_distance(right, left))
    assert overlap_distance(left, left) == 0


@given(JSON, JSON)
def test_a_difference_is_found_exactly_where_there_is_one(left: Any, right: Any) -> None:
    assert (first_json_difference(left, right) is None) == json_equal(left, right)


def test_long_lists_are_compared_place_by_place() -> None:
    many = list(range(300))
    assert overlap_distance(many, [*many[:-1], -1]) == pytest.approx(1 / 300)
    assert overlap_distance(many, [-1, *many]) == 1
    nested = [[row * column for column in range(150)] for row in range(150)]
    assert overlap_distance(nested, [*nested[:-1], [0] * 150]) == pytest.approx(149 / 150 / 150)


@pytest.mark.parametrize(
    ("left", "right", "first"),
    [
        ({"a": 1, "b": {"c": [1, 2]}}, {"a": 1, "b": {"c": [1, 3]}}, FirstDifference("$.b.c[1]", 2, 3)),
        ({"a": 1}, {"a": 1, "b": 2}, FirstDifference("$.b", None, 2)),
        ({"a": None}, {}, FirstDifference("$", {"a": None}, {})),
        ([1], [1, 2], FirstDifference("$[1]", None, 2)),
        (1, "1", FirstDifference("$", 1, "1")),
    ],
)
def test_the_first_difference(left: Any, right: Any, first: FirstDifference) -> None:
    assert first_json_difference(left, right) == first
