"""Canonical JSON: RFC 8785, but integers are exact and stay integers. Equal values, equal bytes, equal hashes."""

import hashlib
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from odyssey.kit.json_reader import MAX_NUMBER

_ESCAPE = json.encoder.encode_basestring


def canonical_json(value: Any) -> bytes:
    parts: list[str] = []
    _write(value, parts)
    return "".join(parts).encode("utf-8")


def content_hash(value: Any) -> str:
    """SHA-256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def canonical_object(members: Mapping[str, bytes]) -> bytes:
    """Write an object whose members are canonical JSON already."""
    ordered = sorted(members, key=_utf16)
    return b"{" + b",".join(canonical_json(key) + b":" + members[key] for key in ordered) + b"}"


def _write(value: Any, parts: list[str]) -> None:
    if value is None:
        parts.append("null")
    elif isinstance(value, bool):
        parts.append("true" if value else "false")
    elif isinstance(value, str):
        parts.append(_ESCAPE(value))
    elif isinstance(value, int):
        parts.append(str(value))
    elif isinstance(value, float):
        parts.append(_number(value))
    elif isinstance(value, dict):
        _write_object(value, parts)
    elif isinstance(value, list | tuple):
        _write_array(value, parts)
    else:
        raise TypeError(f"{type(value).__name__} is not a JSON value")


def _write_object(value: dict[str, Any], parts: list[str]) -> None:
    parts.append("{")
    for position, key in enumerate(sorted(value, key=_utf16)):
        if position:
            parts.append(",")
        parts.append(_ESCAPE(key))
        parts.append(":")
        _write(value[key], parts)
    parts.append("}")


def _write_array(value: list[Any] | tuple[Any, ...], parts: list[str]) -> None:
    parts.append("[")
    for position, item in enumerate(value):
        if position:
            parts.append(",")
        _write(item, parts)
    parts.append("]")


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be")


def _number(value: float) -> str:
    """Write a float as ECMAScript does: shortest digits, no exponent down to 1e-6."""
    if not math.isfinite(value) or abs(value) > MAX_NUMBER:
        raise ValueError(f"{value!r} has no canonical form")
    if value.is_integer():
        return str(int(value))  # exact, where ECMAScript rounds beyond 2^53: it reads back as the same number
    _, digits, exponent = Decimal(repr(abs(value))).normalize().as_tuple()
    assert isinstance(exponent, int)
    sign = "-" if value < 0 else ""
    return sign + _place_point("".join(map(str, digits)), len(digits) + exponent)


def _place_point(digits: str, point: int) -> str:
    if point > 0:
        return digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    exponent = point - 1
    mantissa = digits if len(digits) == 1 else digits[0] + "." + digits[1:]
    return f"{mantissa}e{exponent}"
