"""Cursors that are opaque to callers and cheap for us: the last row's place in the list, signed by nobody."""

import base64
import binascii
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

import msgspec

from odyssey.kit.ids import MAX_INTEGER_ID

DEFAULT_LIMIT = 50
MAX_LIMIT = 200

Item = TypeVar("Item")
SortValue = str | int | float | bool | datetime | None

_Key = Annotated[int, msgspec.Meta(ge=0, le=MAX_INTEGER_ID)]
_VALUES: dict[type, Any] = {
    # Callers can write cursors themselves, so a value that a database would refuse is refused here.
    str: Annotated[str, msgspec.Meta(pattern=r"^[^\x00]*\Z")],
    int: Annotated[int, msgspec.Meta(ge=-MAX_INTEGER_ID, le=MAX_INTEGER_ID)],
    float: float,
    bool: bool,
    datetime: Annotated[datetime, msgspec.Meta(tz=True)],
}


class Page(NamedTuple, Generic[Item]):
    items: Sequence[Item]
    next_cursor: str | None


class SortedPlace(NamedTuple):
    """Where a page of a sorted list ends: the last row's value in the sorted field, and its key."""

    value: SortValue
    key: int


class CursorInvalidError(ValueError):
    """The cursor was not made by this API, or not for this list."""

    def __init__(self, message: str = "cursor is not one this API gave out") -> None:
        super().__init__(f"{message}; leave it out to start over")


def encode_cursor(key: int) -> str:
    return _encode(f"k{key}".encode())


def decode_cursor(cursor: str) -> int:
    text = _decode(cursor)
    if text.startswith(b"["):
        raise CursorInvalidError("cursor is of a list in another order")
    digits = text[1:].decode("ascii", "replace")
    if not text.startswith(b"k") or not digits.isdecimal() or int(digits) > MAX_INTEGER_ID:
        raise CursorInvalidError
    return int(digits)


def encode_sorted_cursor(sort: str, place: SortedPlace) -> str:
    return _encode(msgspec.json.encode([sort, *place]))


def decode_sorted_cursor(cursor: str, sort: str, kind: type) -> SortedPlace:
    """Read a cursor of a list that is sorted by `sort`, whose values are of this kind."""
    text = _decode(cursor)
    try:
        given, value, key = msgspec.json.decode(text, type=tuple[str, msgspec.Raw, _Key])
        if given != sort:
            raise CursorInvalidError("cursor is of a list in another order")
        found = msgspec.json.decode(value, type=_VALUES[kind] | None)
        return SortedPlace(found.astimezone(UTC) if isinstance(found, datetime) else found, key)
    except (msgspec.DecodeError, OverflowError, UnicodeDecodeError) as error:
        if text.startswith(b"k"):
            raise CursorInvalidError("cursor is of a list in another order") from error
        raise CursorInvalidError from error


def cut_page(rows: Sequence[Item], limit: int, key: Callable[[Item], int]) -> Page[Item]:
    """Turn up to `limit + 1` rows into a page: the surplus row only proves that more follow."""
    return cut_rows(rows, limit, lambda row: encode_cursor(key(row)))


def cut_rows(rows: Sequence[Item], limit: int, cursor: Callable[[Item], str]) -> Page[Item]:
    if len(rows) <= limit:
        return Page(rows, None)
    return Page(rows[:limit], cursor(rows[limit - 1]))


def _encode(text: bytes) -> str:
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def _decode(cursor: str) -> bytes:
    try:
        return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error) as error:
        raise CursorInvalidError from error
