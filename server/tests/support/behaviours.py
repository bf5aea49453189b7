"""Behaviours of made-up runs, for property tests of distances."""

from typing import Any, Literal

from hypothesis import strategies as st

from odyssey.evals.behaviour import Behaviour, BehaviourCall
from odyssey.records.error_classes import OWN_FAILURES
from odyssey.records.ledger import Difference, EntityChange

WORDS = st.sampled_from(
    ["refund", "order", "cancel", "the", "a", "ticket", "please", "12", "é", "返金", "👍"]
)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | TEXTS
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["status", "amount", "note", "items"]), JSON, max_size=3)
CALLS = st.lists(
    st.builds(BehaviourCall, st.sampled_from(["look", "book", "cancel"]), OBJECTS), max_size=6
).map(tuple)


KINDS: list[Literal["added", "changed", "removed"]] = ["added", "changed", "removed"]


@st.composite
def _changes(draw: st.DrawFn) -> EntityChange:
    kind = draw(st.sampled_from(KINDS))
    fields = draw(OBJECTS)
    return EntityChange(
        kind,
        draw(st.sampled_from(["order", "user"])),
        draw(st.sampled_from(["1", "2", "3"])),
        None if kind == "added" else fields,
        None if kind == "removed" else fields,
        sorted(fields),
    )


LEDGERS = st.none() | st.builds(
    Difference,
    st.lists(_changes(), max_size=4, unique_by=lambda change: (change.entity_type, change.id)),
    st.lists(st.sampled_from(["vip", "fraud"]), max_size=2, unique=True),
    st.just([]),
)
BEHAVIOURS = st.builds(Behaviour, st.none() | OBJECTS, CALLS, LEDGERS, TEXTS) | st.sampled_from(
    sorted(OWN_FAILURES)
).map(lambda failure: Behaviour(failure=failure))
