"""The difference of two JSON values: complete, minimal where nothing changed, and its paths lead where they say."""

from typing import Any

import jsonpath_rfc9535
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.endpoints.cassettes.compare import ValueChange, difference
from odyssey.records.canonical import canonical_json

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=3) | st.sampled_from(
    ["id", "it's", "a\\b", "$"]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, 1.0])
    | st.text("ab'\n", max_size=2)
)
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=15,
)


@st.composite
def edited(draw: st.DrawFn) -> tuple[Any, Any]:
    """A document and another that has much in common with it."""
    document = draw(DOCUMENTS)
    return document, _edit(draw, document)


def _edit(draw: st.DrawFn, value: Any) -> Any:
    if draw(st.integers(0, 5)) == 0:
        return draw(DOCUMENTS)
    if isinstance(value, dict):
        kept = {name: _edit(draw, item) for name, item in value.items() if draw(st.integers(0, 4))}
        return kept | draw(st.dictionaries(NAMES, SCALARS, max_size=1))
    if isinstance(value, list):
        kept_items = [_edit(draw, item) for item in value if draw(st.integers(0, 4))]
        return kept_items + draw(st.lists(SCALARS, max_size=1))
    return value


def at(path: str, document: Any) -> list[Any]:
    return [node.value for node in jsonpath_rfc9535.find(path, document)]


def steps(path: str, document: Any) -> tuple[int | str, ...]:
    (node,) = jsonpath_rfc9535.find(path, document)
    return node.location


def applied(before: Any, changes: list[ValueChange], after: Any) -> Any:
    """Do the changes to `before`; `after` only tells which steps a path stands for."""
    root = [_copy(before)]
    removed: list[tuple[Any, int | str]] = []
    for change in changes:
        place = (0, *steps(change.path, before if change.kind == "removed" else after))
        parent: Any = root
        for step in place[:-1]:
            parent = parent[step]
        if change.kind == "removed":
            removed.append((parent, place[-1]))
        elif change.kind == "added" and isinstance(parent, list):
            assert place[-1] == len(parent)
            parent.append(change.after)
        else:
            parent[place[-1]] = change.after
    for parent, step in reversed(removed):
        del parent[step]
    return root[0]


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copy(item) for name, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value


@given(DOCUMENTS)
def test_nothing_differs_from_itself(document: Any) -> None:
    assert list(difference(document, _copy(document))) == []


@given(edited() | st.tuples(DOCUMENTS, DOCUMENTS))
def test_there_are_changes_where_the_documents_differ_as_json(pair: tuple[Any, Any]) -> None:
    before, after = pair
    assert (list(difference(before, after)) == []) == (canonical_json(before) == canonical_json(after))


@given(edited() | st.tuples(DOCUMENTS, DOCUMENTS))
def test_every_path_leads_to_the_values_it_comes_with(pair: tuple[Any, Any]) -> None:
    before, after = pair
    for change in difference(before, after):
        if change.kind != "added":
            assert at(change.path, before) == [change.before]
        if change.kind != "removed":
            assert at(change.path, after) == [change.after]
        if change.kind in ("added", "removed"):
            absent_in = before if change.kind == "added" else after
            assert at(change.path, absent_in) == []


@given(edited() | st.tuples(DOCUMENTS, DOCUMENTS))
def test_done_to_the_first_the_changes_give_the_second(pair: tuple[Any, Any]) -> None:
    before, after = pair
    changes = list(difference(before, after))
    assert canonical_json(applied(before, changes, after)) == canonical_json(after)


@given(edited() | st.tuples(DOCUMENTS, DOCUMENTS))
def test_no_path_is_named_twice_nor_one_below_another(pair: tuple[Any, Any]) -> None:
    paths = [change.path for change in difference(*pair)]
    assert len(set(paths)) == len(paths)
    for path in paths:
        assert not any(other != path and other.startswith((f"{path}.", f"{path}[")) for other in paths)


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 2}}, [("$.a.b", "changed", 1, 2)]),
        ({"a": 1}, {"a": "1"}, [("$.a", "type_changed", 1, "1")]),
        ({"a": 1}, {"a": True}, [("$.a", "type_changed", 1, True)]),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": None}, [("$.a", "type_changed", 1, None)]),
        ({"a": 1}, {}, [("$.a", "removed", 1, None)]),
        ({}, {"a b": [1]}, [("$['a b']", "added", None, [1])]),
        ({"it's\n": 1}, {"it's\n": 2}, [(r"$['it\'s\n']", "changed", 1, 2)]),
        ([1, 2, 3], [1, 9], [("$[1]", "changed", 2, 9), ("$[2]", "removed", 3, None)]),
        ([], [[{}]], [("$[0]", "added", None, [{}])]),
        ("down", {"id": 1}, [("$", "type_changed", "down", {"id": 1})]),
    ],
)
def test_what_is_said_of_a_change(before: Any, after: Any, changes: list[Any]) -> None:
    assert list(difference(before, after)) == [ValueChange(*change) for change in changes]
