from typing import Any

import pytest
from hypothesis import given
from support.behaviours import JSON

from odyssey.evals.parts import FirstDifference, first_json_difference
from odyssey.worlds.ledger import json_equal


@given(JSON, JSON)
def test_a_difference_is_found_exactly_where_there_is_one(left: Any, right: Any) -> None:
    assert (first_json_difference(left, right) is None) == json_equal(left, right)


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
