import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.kit.json_reader import read_json
from odyssey.records.canonical import canonical_json, content_hash

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(-(2.0**63), 2.0**63, allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
KEYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
DOCUMENTS = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=20)


@given(DOCUMENTS)
def test_reading_it_back_gives_the_value(document: Any) -> None:
    assert read_json(canonical_json(document)) == document


@given(DOCUMENTS)
def test_writing_twice_changes_nothing(document: Any) -> None:
    once = canonical_json(document)
    assert canonical_json(read_json(once)) == once


@given(st.dictionaries(KEYS, SCALARS, min_size=2))
def test_the_order_of_members_does_not_matter(document: dict[str, Any]) -> None:
    backwards = dict(reversed(document.items()))
    assert content_hash(document) == content_hash(backwards)


@given(DOCUMENTS, DOCUMENTS)
def test_equal_hash_means_equal_value(one: Any, other: Any) -> None:
    assert (content_hash(one) == content_hash(other)) == (canonical_json(one) == canonical_json(other))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-9, "1.5e-9"),
        (5e-324, "5e-324"),
        (123456789012345680.0, "123456789012345680"),
        (9007199254740993, "9007199254740993"),
        (2**63, "9223372036854775808"),
        (333333333.3333333, "333333333.3333333"),
        ("\u20ac$\x0f\nA'B\"\\\\\"/", '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'),
        ({"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "😀": 5, "\x80": 6, "ö": 7},
         '{"\\r":2,"1":4,"\x80":6,"ö":7,"€":1,"😀":5,"\ufb33":3}'),
    ],
)  # fmt: skip
def test_known_forms(value: Any, text: str) -> None:
    assert canonical_json(value).decode() == text
    assert json.loads(text) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e300])
def test_numbers_without_a_form_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="canonical"):
        canonical_json(value)


def test_other_types_are_refused() -> None:
    with pytest.raises(TypeError, match="set is not a JSON value"):
        canonical_json({"a": {1}})
