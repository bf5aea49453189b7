import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.kit.json_reader import MAX_DEPTH, MAX_NUMBER, JsonInvalidError, read_json

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_NUMBER, MAX_NUMBER)
    | st.floats(-1e18, 1e18, allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
KEYS = st.text(st.characters(exclude_categories=["Cs"]))
DOCUMENTS = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=30)


@given(DOCUMENTS, st.booleans())
def test_reads_what_was_written(document: Any, ascii_only: bool) -> None:
    text = json.dumps(document, ensure_ascii=ascii_only)
    assert read_json(text) == document
    assert read_json(text.encode("utf-8")) == document


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    try:
        value = read_json(raw)
    except JsonInvalidError:
        return
    assert value == json.loads(raw)


@given(st.text(st.sampled_from('[]{}",:0123456789.eE+-ntf\\u \tdD8'), max_size=60))
def test_agrees_with_the_standard_reader_or_is_stricter(text: str) -> None:
    try:
        value = read_json(text)
    except JsonInvalidError:
        return
    assert value == json.loads(text)


@given(DOCUMENTS.filter(lambda value: isinstance(value, dict) and bool(value)))
def test_a_repeated_key_is_refused_wherever_it_stands(document: dict[str, Any]) -> None:
    key = json.dumps(next(iter(document)))
    text = json.dumps(document)
    with pytest.raises(JsonInvalidError, match="duplicate key"):
        read_json('{"outer": [' + text[:-1] + f", {key}: 1}}]}}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "Expecting value"),
        (b"{", "Expecting property name"),
        (b"{} {}", "Extra data"),
        (b"NaN", "NaN is not JSON"),
        (b"[-Infinity]", "-Infinity is not JSON"),
        (b"1e999", "beyond"),
        (b"-1e400", "beyond"),
        (b"1e300", "beyond"),
        (b"9223372036854775809", "beyond"),
        (b"-9223372036854775809", "beyond"),
        (b"1" * 5000, "beyond"),
        (b'"\\ud800"', "lone surrogate"),
        (b'{"a": ["\\udc00\\ud800"]}', "lone surrogate"),
        (b'{"\\udfff": 1}', "lone surrogate"),
        (b'"\xff"', "invalid UTF-8"),
        (b'"\xed\xa0\x80"', "invalid UTF-8"),
        (b'"a\x01b"', "Invalid control character"),
        (b"\xef\xbb\xbf{}", "Expecting value"),
        (b"[" * 101 + b"]" * 101, "nested deeper"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "nested deeper"),
        (b"[" * 100_000, "nested deeper"),
        (b'{"a": 1, "a": 1}', "duplicate key 'a'"),
    ],
)
def test_refuses(text: bytes, reason: str) -> None:
    with pytest.raises(JsonInvalidError, match=reason):
        read_json(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9223372036854775808", 2**63),
        ("-9223372036854775808", -(2**63)),
        ('"\\u0000"', "\x00"),
        ('"\\ud83d\\ude00"', "😀"),
        ("-0", 0),
        ("1.0", 1.0),
        (" [ ] ", []),
        ("[" * MAX_DEPTH + "]" * MAX_DEPTH, None),
        (json.dumps(["[" * 500, "{" * 500, '\\"[']), ["[" * 500, "{" * 500, '\\"[']),
    ],
)
def test_accepts(text: str, value: Any) -> None:
    read = read_json(text)
    assert value is None or read == value
    assert not isinstance(read, float) or math.isfinite(read)


def test_integers_stay_integers_and_floats_floats() -> None:
    assert isinstance(read_json("1"), int)
    assert isinstance(read_json("1.0"), float)
