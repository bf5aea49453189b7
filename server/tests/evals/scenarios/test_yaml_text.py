from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from odyssey.evals.scenarios.content import write_yaml
from odyssey.kit.yaml_reader import read_yaml

TEXTS = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(
    [
        "yes",
        "no",
        "~",
        "null",
        "2026-01-31",
        "1:30",
        "010",
        "1e3",
        "a\nb\n",
        "- x",
        "a: b",
        "",
        " x",
        "x ",
        "\t",
        "<<",
    ]
)
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.floats(-1e15, 1e15) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert read_yaml(write_yaml(value).encode()) == value
