"""Cursors that are opaque to callers and cheap for us: the last key of the page, signed by nobody."""

import base64
import binascii
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from odyssey.kit.ids import MAX_INTEGER_ID

DEFAULT_LIMIT = 50
MAX_LIMIT = 200

Item = TypeVar("Item")


class Page(NamedTuple, Generic[Item]):
    items: Sequence[Item]
    next_cursor: str | None


class CursorInvalidError(ValueError):
    """The cursor was not made by this API."""


def encode_cursor(key: int) -> str:
    return base64.urlsafe_b64encode(f"k{key}".encode()).decode().rstrip("=")


def decode_cursor(cursor: str) -> int:
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode(
            "ascii"
        )
        if not text.startswith("k") or not text[1:].isdecimal() or int(text[1:]) > MAX_INTEGER_ID:
            raise ValueError(text)
        return int(text[1:])
    except (ValueError, binascii.Error) as error:
        raise CursorInvalidError(
            "cursor is not one this API gave out; leave it away to start over"
        ) from error


def cut_page(rows: Sequence[Item], limit: int, key: Callable[[Item], int]) -> Page[Item]:
    """Turn up to `limit + 1` rows into a page: the surplus row only proves that more follow."""
    if len(rows) <= limit:
        return Page(rows, None)
    return Page(rows[:limit], encode_cursor(key(rows[limit - 1])))
