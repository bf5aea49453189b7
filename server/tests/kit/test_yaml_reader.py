import pytest

from odyssey.kit.yaml_reader import YamlInvalidError, read_yaml


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
        (b"a: &x a text that is long enough\nb: *x", "anchors and aliases"),
        (b"a: {&x a-key-that-is-long-enough: 1}\nb: {*x : 1}", "anchors and aliases"),
        (b"a: !!python/object/apply:os.system ['true']", "could not determine a constructor"),
        (b"a: !!set {x}", "is no JSON value"),
        (b"a: !!binary aGVsbG8=", "is no JSON value"),
        (b"a: 99999999999999999999", "beyond"),
        (b"a: 1e999", "beyond"),
        (b"[" * 100_000, "nested deeper"),
        (b"- " * 100_000 + b"x", "nested deeper"),
        (b"? " * 100_000, "nested deeper"),
        (b"a: 1\n---\nb: 2", "expected a single document"),
        (b"[1", "line"),
        (b"a: \xff", "UTF-8"),
        (b"a: \x00", "control characters|special characters"),
    ],
)
def test_what_is_not_one_json_document_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(YamlInvalidError, match=reason):
        read_yaml(raw)


def test_brackets_and_dashes_in_texts_are_no_nesting() -> None:
    text = "[" * 500 + " {" * 500
    assert read_yaml(f"a: |\n  {text}\n  {'-' * 500}\n".encode()) == {"a": f"{text}\n{'-' * 500}\n"}


def test_keys_may_be_taken_as_they_are_written() -> None:
    assert read_yaml(b"200: a\n4.0: b\ntrue: c\nnull: d", keys_as_written=True) == {
        "200": "a",
        "4.0": "b",
        "true": "c",
        "null": "d",
    }
    with pytest.raises(YamlInvalidError, match="there twice, line 2"):
        read_yaml(b"200: a\n'200': b", keys_as_written=True)
    with pytest.raises(YamlInvalidError, match="a key is not a text, line 1"):
        read_yaml(b"? [1]\n: a", keys_as_written=True)
