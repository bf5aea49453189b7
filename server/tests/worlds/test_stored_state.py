"""A stored state, changed in place, has the text that the whole of it would have."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from odyssey.records.canonical import canonical_json
from odyssey.records.ledger import Add, Remove
from odyssey.worlds.operations import apply
from odyssey.worlds.stored_state import StoredState

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=3)
VALUES = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | NAMES | st.floats(-1e9, 1e9)
FIELDS = st.dictionaries(NAMES, VALUES | st.lists(VALUES, max_size=2), max_size=3)
STATES = st.dictionaries(NAMES, st.dictionaries(NAMES, FIELDS, max_size=4), max_size=3)


@given(STATES, NAMES, NAMES, FIELDS)
def test_the_text_is_canonical_whatever_was_done(
    state: dict[str, Any], kind: str, key: str, fields: dict[str, Any]
) -> None:
    assert StoredState.of(state).text() == canonical_json(state)
    stored = StoredState.read(canonical_json(state).decode())
    assert stored.text() == canonical_json(state)
    stored.put(kind, key, fields)
    changed = {**state, kind: {**state.get(kind, {}), key: fields}}
    assert stored.text() == canonical_json(changed)
    assert stored.counts() == {name: len(changed[name]) for name in changed}
    assert stored.put(kind, key, fields) is False
    stored.remove(kind, key)
    del changed[kind][key]
    assert stored.text() == canonical_json(changed)


@given(STATES, NAMES, NAMES, FIELDS)
def test_operations_on_a_part_are_taken_into_the_whole(
    state: dict[str, Any], kind: str, key: str, fields: dict[str, Any]
) -> None:
    stored = StoredState.of(state)
    operations: list[Add | Remove] = [Remove(kind, key), Add(kind, key, fields), Add("other", key, {})]
    part = stored.part((each.entity_type, each.id) for each in operations)
    stored.take(part, apply(part, operations, "warn").ledger)
    known = state.get("other", {}).get(key, {}) if kind != "other" else fields
    expected = {**state, kind: {**state.get(kind, {}), key: fields}}
    expected["other"] = {**expected.get("other", {}), key: known}
    assert stored.text() == canonical_json(expected)
