from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.worlds.json_path import FoundValue, JsonPath, PathInvalidError

SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=4)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "a", "b", "items", "ä b"]), inner, max_size=4)
    ),
    max_leaves=12,
)

ORDER = {
    "id": "o1",
    "lines": [{"sku": "a", "n": 2}, {"sku": "b", "n": 5, "gift": True}],
    "ship to": {"town": "Leith"},
    "note": None,
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$.id", "o1"),
        ("$['ship to'].town", "Leith"),
        ("$.lines[1].sku", "b"),
        ("$.lines[-1].n", 5),
        ("$.lines[*].sku", "a"),
        ("$.lines[?@.n > 3].sku", "b"),
        ("$.lines[?@.gift].sku", "b"),
        ("$.lines[?@.sku == $.lines[1].sku].n", 5),
        ("$..town", "Leith"),
        ("$['missing', 'id']", "o1"),
        ("$.lines[?match(@.sku, '[b-c]')].n", 5),
        ("$.lines[?search(@.sku, 'a|x')].n", 2),
        ("$.note", None),
        ("$.lines[?length(@.sku) == 1 && count(@.*) == 3].sku", "b"),
    ],
)
def test_finds_what_the_standard_says(path: str, value: Any) -> None:
    assert JsonPath(path).find(ORDER) == FoundValue(value)


def test_of_several_matches_the_first_scalar() -> None:
    assert JsonPath("$.*").find({"a": [1], "b": {"c": 2}, "d": "x", "e": "y"}) == FoundValue("x")
    assert JsonPath("$.*").find({"a": [1], "b": {}}) is None
    assert JsonPath("$.missing").find({"a": 1}) is None


def test_an_only_match_may_be_an_object() -> None:
    assert JsonPath("$['ship to']").find(ORDER) == FoundValue({"town": "Leith"})


def test_a_plain_text_is_a_document() -> None:
    assert JsonPath("$").find("pong") == FoundValue("pong")
    assert JsonPath("$.id").find("pong") is None


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("$.", "not a JSONPath"),
        ("$[", "not a JSONPath"),
        ("$.a[?]", "not a JSONPath"),
        ("$.a[?unknown(@)]", "not a JSONPath"),
        ("$.a[?length(@.*) > 1]", "not a JSONPath"),
        ("$.a b", "not a JSONPath"),
        ("$[" + "?(" * 240, "not a JSONPath"),
        ("$.a" * 200, "600 characters; at most 500"),
        ("$..a..b", "at most once"),
        ("$[?@..a]..b", "at most once"),
        ("$[*,*][*,*][*,*][*,*][*,*]", "more than 16 times"),
        ("$.a[?count($.b[*]) > 1]", "one value only"),
        ("$.a[?$..b]", "one value only"),
        ("$.abc[?$.abc[*]]", "one value only"),
        ("$.a[?@.b == $['c'][?@.d]]", "one value only"),
    ],
)
def test_says_why_a_path_cannot_be_used(path: str, why: str) -> None:
    with pytest.raises(PathInvalidError) as caught:
        JsonPath(path)
    assert why in str(caught.value)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", ["$['..','$[*]'].a", '$["a..b"]..c', "$['it\\'s..']..x"])
def test_what_stands_in_quotes_costs_nothing(path: str) -> None:
    assert JsonPath(path).find({}) is None


def test_a_dot_of_a_pattern_matches_no_break() -> None:
    path = JsonPath("$[?match(@, 'a.b')]")
    assert path.find(["a\rb", "a\nb", "axb"]) == FoundValue("axb")
    assert JsonPath(r"$[?match(@, 'a[.]b')]").find(["axb", "a.b"]) == FoundValue("a.b")


@pytest.mark.parametrize("pattern", ["(", "a{9999}", "\\\\p{Nothing}"])
def test_what_is_no_pattern_matches_nothing(pattern: str) -> None:
    assert JsonPath(f"$[?match(@, '{pattern}')]").find(["a"]) is None


LONG = "a" * 2000


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$[?match(@, '(a|a)*b')]", None),
        ("$[?search(@, '(a*)*c')]", None),
        ("$..[?@ == $[0]]", FoundValue(LONG)),
        ("$[?@[?@[?@ == 1]]]", None),
    ],
)
def test_a_path_that_could_run_away_comes_to_an_end(path: str, found: FoundValue | None) -> None:
    assert JsonPath(path).find([LONG] * 200) == found


@given(
    path=st.sampled_from(["$", "$.id", "$..id", "$.*", "$..*", "$.items[*].a", "$[?@.a == 1]", "$[::2]"])
    | st.text(alphabet="$.[]*?@'a0,:()=&! ", max_size=12).map(lambda text: "$" + text),
    document=JSON,
)
def test_either_refuses_a_path_or_finds_by_it(path: str, document: Any) -> None:
    try:
        compiled = JsonPath(path)
    except PathInvalidError:
        return
    found = compiled.find(document)
    assert found is None or isinstance(found, FoundValue)
