"""Cursors at the edge of the API: a bad one is the caller's mistake, with a sentence."""

from odyssey.core.errors import ValidationFailedError
from odyssey.kit.pagination import CursorInvalidError, decode_cursor
from odyssey.records.problems import FieldError


def start_of(cursor: str | None) -> int | None:
    """Read the key after which the page begins."""
    if cursor is None:
        return None
    try:
        return decode_cursor(cursor)
    except CursorInvalidError as error:
        raise ValidationFailedError([FieldError(loc=("query", "cursor"), msg=str(error))]) from error
