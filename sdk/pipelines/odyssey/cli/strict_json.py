"""JSON as the platform reads it: no key twice, no NaN, no number beyond 64 bits, no lone surrogate, not too deep."""

import json
import math
from typing import Any, NoReturn

MAX_DEPTH = 100
MAX_NUMBER = 2**63

_LONGEST_INTEGER = len(str(MAX_NUMBER)) + 1


class NotJsonError(ValueError):
    """The text is not one document; the message says why, `at` where if that is known."""

    def __init__(self, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.at = at


def read_strictly(text: str) -> Any:
    """Read one document and nothing after it."""
    value, end = read_next(text, 0)
    end = skip_space(text, end)
    if end < len(text):
        raise NotJsonError(f"something follows the value{_place(text, end)}", end)
    return value


def read_next(text: str, at: int) -> tuple[Any, int]:
    """Read the value that begins here; returns it and where it ends."""
    at = skip_space(text, at)
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise NotJsonError(f"{error.msg}{_place(text, error.pos)}", error.pos) from None
    except NotJsonError as error:
        raise NotJsonError(str(error), at) from None
    except RecursionError:
        raise NotJsonError(f"nested deeper than {MAX_DEPTH} levels", at) from None
    _check(value, at)
    return value, end


def skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\n\r":
        at += 1
    return at


def _check(value: Any, at: int) -> None:
    pending = [(value, 1)]
    while pending:
        item, depth = pending.pop()
        if isinstance(item, str):
            if any("\ud800" <= char <= "\udfff" for char in item):
                raise NotJsonError("a lone surrogate is not a Unicode character", at)
        elif isinstance(item, dict | list):
            if depth > MAX_DEPTH:
                raise NotJsonError(f"nested deeper than {MAX_DEPTH} levels", at)
            inner = [*item.keys(), *item.values()] if isinstance(item, dict) else item
            pending.extend((each, depth + 1) for each in inner)


def _place(text: str, at: int) -> str:
    line = text.count("\n", 0, at)
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return f" at line {line + 1} column {column}" if line else f" at character {column}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotJsonError(f"the key {twice[:80]!r} is there twice")
    return members


def _integer(text: str) -> int:
    if len(text) > _LONGEST_INTEGER or abs(number := int(text)) > MAX_NUMBER:
        raise NotJsonError(f"the number {text[:24]} is beyond ±2^63")
    return number


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number) or abs(number) > MAX_NUMBER:
        raise NotJsonError(f"the number {text[:24]} is beyond ±2^63")
    return number


def _constant(text: str) -> NoReturn:
    raise NotJsonError(f"{text} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)
