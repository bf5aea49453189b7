import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.kit.pagination import CursorInvalidError, cut_page, decode_cursor, encode_cursor


@given(st.integers(0, 2**63 - 1))
def test_a_cursor_comes_back(key: int) -> None:
    assert decode_cursor(encode_cursor(key)) == key


@given(st.text(max_size=64))
def test_any_text_is_a_cursor_or_refused(text: str) -> None:
    try:
        key = decode_cursor(text)
    except CursorInvalidError:
        return
    assert key >= 0


@given(st.lists(st.integers(1, 10_000), unique=True, max_size=50), st.integers(1, 7))
def test_pages_hold_everything_once(keys: list[int], limit: int) -> None:
    ordered = sorted(keys)
    seen: list[int] = []
    after = 0
    while True:
        page = cut_page([key for key in ordered if key > after][: limit + 1], limit, lambda key: key)
        seen += page.items
        if page.next_cursor is None:
            break
        after = decode_cursor(page.next_cursor)
    assert seen == ordered


@pytest.mark.parametrize("text", ["", "x", "k1", "az0x", "é", "=" * 9])
def test_refuses(text: str) -> None:
    with pytest.raises(CursorInvalidError):
        decode_cursor(text)
