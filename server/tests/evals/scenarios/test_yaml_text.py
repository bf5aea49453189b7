from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.evals.scenarios.yaml_text import YamlInvalidError, read_yaml, write_yaml

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


def test_plain_words_mean_what_they_mean_in_json() -> None:
    read = read_yaml(b"a: yes\nb: 2026-01-31\nc: 010\nd: 1.5e3\ne:\nf: ~\ng: [1, -2, true]\nh: 1:30\n<<: x\n")
    assert read == {
        "a": "yes",
        "b": "2026-01-31",
        "c": "010",
        "d": 1500.0,
        "e": None,
        "f": None,
        "g": [1, -2, True],
        "h": "1:30",
        "<<": "x",
    }


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"a: 1\na: 2", "there twice, line 2"),
        (b"1: x", "a key is not a text"),
        (b"a: &x [1]\nb: *x", "anchors and aliases"),
        (b"a: &x\n  b: *x", "recursive"),
        (b"a: !!python/object/apply:os.system ['true']", "could not determine a constructor"),
        (b"a: !!set {x}", "is no JSON value"),
        (b"a: !!binary aGVsbG8=", "is no JSON value"),
        (b"a: 99999999999999999999", "beyond"),
        (b"a: 1e999", "beyond"),
        (b"[" * 100_000, "nested deeper"),
        (b"- " * 100_000 + b"x", "nested deeper"),
        (b"a: 1\n---\nb: 2", "expected a single document"),
        (b"[1", "line"),
        (b"a: \xff", "UTF-8"),
        (b"a: \x00", "control characters|special characters"),
    ],
)
def test_what_is_not_one_json_document_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(YamlInvalidError, match=reason):
        read_yaml(raw)
