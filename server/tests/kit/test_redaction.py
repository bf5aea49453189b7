from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.evidence import json_values

from odyssey.kit.redaction import Redaction

keys = st.text(
    st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="[]"), min_size=8
).filter(lambda key: key not in "[redacted]")


@given(keys, json_values)
def test_a_secret_is_taken_out_of_every_text(secret: str, value: Any) -> None:
    holding = [{f"a{secret}b": [f"{secret}{secret}"]}, f"…{secret}"]
    assert Redaction(secret).value(holding) == [{"a[redacted]b": ["[redacted][redacted]"]}, "…[redacted]"]
    assert Redaction(None).value([value, holding]) == [value, holding]


def test_a_secret_is_found_as_json_spells_it() -> None:
    assert Redaction('a"b\\cdefgh').text(r'{"key": "a\"b\\cdefgh"') == '{"key": "[redacted]"'
