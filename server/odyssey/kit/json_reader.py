"""The one strict JSON reader: what it accepts has exactly one meaning everywhere.

Refused: duplicate keys, NaN and Infinity, lone surrogates, numbers beyond ±2^63, nesting deeper than 100,
invalid UTF-8, anything after the document.
"""

import json
import math
import re
from typing import Any, NamedTuple, NoReturn

MAX_DEPTH = 100
MAX_NUMBER = 2**63

_LONGEST_INTEGER = len(str(MAX_NUMBER)) + 1
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
"""An escape in a string; those that are half a character are in the group."""
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


class JsonInvalidError(ValueError):
    """The text is not one strict JSON document; the message says why in words for its author."""


class MendedText(NamedTuple):
    text: str
    bad_pieces: int
    """How many pieces no Unicode text can hold were replaced by U+FFFD."""
    first: str
    """What the first was and where, for the author; empty without one."""


def mend_text(raw: bytes) -> MendedText:
    r"""Replace what is not Unicode in JSON: bytes that are no UTF-8, escapes of half a character. All else stays.

    Example: `{"a": "x\ud800"}` becomes `{"a": "x\ufffd"}`, with 1 bad piece, "the escape \ud800 at character 8".
    """
    text, found = raw.decode("utf-8", "replace"), list[str]()
    count = text.count("\ufffd") - raw.count("\ufffd".encode())
    if count:
        found.append(f"the byte 0x{raw[(at := _first_bad_byte(raw))]:02x} at byte {at}")

    def mend(escape: re.Match[str]) -> str:
        if escape[1] is None:
            return escape[0]
        found.append(f"the escape {escape[0]} at character {escape.start()}")
        return r"\ufffd"

    if _SURROGATE_ESCAPE.search(text):
        before = len(found)
        text = _ESCAPE.sub(mend, text)
        count += len(found) - before
    return MendedText(text, count, found[0] if found else "")


def _first_bad_byte(raw: bytes) -> int:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    raise AssertionError("every byte is good")


def read_json(raw: bytes | str) -> Any:
    """Decode one strict JSON document, or raise JsonInvalidError."""
    text = _decode(raw)
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise JsonInvalidError(f"{error.msg} at line {error.lineno} column {error.colno}") from error
    if _SURROGATE_ESCAPE.search(text):
        _check_surrogates(value)
    return value


def _decode(raw: bytes | str) -> str:
    if isinstance(raw, str):
        return raw
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise JsonInvalidError(f"invalid UTF-8 at byte {error.start}") from error


def _check_depth(text: str) -> None:
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text):
        character = text[token.start()]
        if character in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise JsonInvalidError(f"nested deeper than {MAX_DEPTH} levels")
        elif character in "]}":
            depth -= 1


def _check_surrogates(value: Any) -> None:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            try:
                item.encode("utf-8")
            except UnicodeEncodeError as error:
                raise JsonInvalidError("a lone surrogate is not a Unicode character") from error
        elif isinstance(item, dict):
            pending.extend(item.keys())
            pending.extend(item.values())
        elif isinstance(item, list):
            pending.extend(item)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise JsonInvalidError(f"duplicate key {key[:80]!r}")
            seen.add(key)
    return members


def _integer(text: str) -> int:
    if len(text) > _LONGEST_INTEGER or abs(number := int(text)) > MAX_NUMBER:
        raise JsonInvalidError(f"number {text[:24]} is beyond ±2^63")
    return number


def _float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number) or abs(number) > MAX_NUMBER:
        raise JsonInvalidError(f"number {text[:24]} is beyond ±2^63")
    return number


def _constant(text: str) -> NoReturn:
    raise JsonInvalidError(f"{text} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)
