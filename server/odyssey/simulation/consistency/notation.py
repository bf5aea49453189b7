"""Whether two values say the same in other words: what was asked for, and what was written of it."""

import re
from collections.abc import Mapping
from typing import Any

from odyssey.kit.words import stem

_WORD = re.compile(r"[^\W_]+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_ZONE = re.compile(r"T\d.*(?:Z|[+-]\d\d:?\d\d)$")
_ROUNDING = 0.01


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def words_of(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def same_number(asked: float, written: float) -> bool:
    """Whether a number is the other one, rounded or with the sign of a booking."""
    return abs(abs(asked) - abs(written)) < _ROUNDING


def may_say_the_same(asked: Any, written: Any) -> bool:
    """Whether one can stand for the other; values of different types are never held against each other."""
    # "Checked In" and "checked_in" do, "+44 20 79" and "+442079", 14.4999 and 14.5, "2025-03-05" and that day at nine;
    # "tomorrow" may be any date. "12C" and "12D" do not, nor do 20 and 200.
    if isinstance(asked, str) and isinstance(written, str):
        return _same_text(asked, written)
    if is_number(asked) and is_number(written):
        return same_number(asked, written)
    return type(asked) is not type(written) or bool(asked == written)


def _same_text(asked: str, written: str) -> bool:
    if _DATE.match(written):
        if not _DATE.match(asked):
            return True
        in_a_zone = _ZONE.search(asked) or _ZONE.search(written)
        return written.startswith(asked) or (in_a_zone is not None and asked[:7] == written[:7])
    left, right = words_of(asked), words_of(written)
    if not left or not right:
        return asked.strip() == written.strip()
    return "".join(left) == "".join(right) or set(left) <= set(right) or set(right) <= set(left)


def is_among(value: Any, written: Any) -> bool:
    """Whether a value stands anywhere in what is written, also in another notation or in cents."""
    waiting = [written]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Mapping):
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
        elif type(each) is bool or type(value) is bool:
            if each is value:
                return True
        elif is_number(each) and is_number(value):
            if same_number(value, each) or same_number(value * 100, each):
                return True
        elif isinstance(each, str) and isinstance(value, str) and _contains(each, value):
            return True
    return False


def _contains(text: str, part: str) -> bool:
    inner, outer = words_of(part), words_of(text)
    return bool(inner) and (
        f" {' '.join(inner)} " in f" {' '.join(outer)} " or "".join(inner) == "".join(outer)
    )


def share_a_stem(text: str, word: str) -> bool:
    return any(stem(each) == stem(word) for each in words_of(text))
