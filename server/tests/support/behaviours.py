"""Behaviours of made-up runs, for property tests of distances."""

from typing import Any

from hypothesis import strategies as st

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
