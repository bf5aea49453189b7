"""Regular expressions of checks, taken apart: a text that one finds, all texts it can find, whether it finds any.

What is not understood is left open, for RE2 and the module that takes patterns apart differ at the edges.
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from re import _constants as op  # no stubs, and no public name
from re import _parser as parser
from typing import Any

from odyssey.expressions.arguments import read_pattern
from odyssey.records.faults import Faults

_MOST_TEXTS = 200
_LONGEST = 2000
_BEGINNINGS = (op.AT_BEGINNING, op.AT_BEGINNING_STRING)
_ENDS = (op.AT_END, op.AT_END_STRING)
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT)
_PREFERRED = "a0A-_ .:/@b1B\n"

Part = tuple[Any, Any]


class _OpenQuestionError(Exception):
    """The pattern uses more than is understood here."""


@lru_cache(maxsize=1024)
def example(pattern: str) -> str | None:
    """Give a text in which the pattern is found, or None if none could be made."""
    parts = _parts(pattern)
    finds = read_pattern(pattern, Faults())
    for ways in (1, _MOST_TEXTS):
        for text in _first_texts(parts or [], ways):
            # A boundary or an anchor in the middle may want something beside it.
            for candidate in (text, f" {text} ", f"\n{text}\n"):
                if finds(candidate):
                    return candidate
    return None


@lru_cache(maxsize=1024)
def all_texts(pattern: str) -> tuple[str, ...] | None:
    """Give every text that the pattern accepts, in lower case where its case does not matter; None if that is open."""
    parts = _parts(pattern)
    if not parts or "(?m" in pattern or parts[0][1] not in _BEGINNINGS or parts[-1][1] not in _ENDS:
        return None
    texts = _first_texts(parts, None)
    return tuple(dict.fromkeys(texts)) if texts and len(texts) <= _MOST_TEXTS else None


def ignores_case(pattern: str) -> bool:
    return re.search(r"\(\?[a-z]*i", pattern) is not None


@lru_cache(maxsize=1024)
def finds_nothing(pattern: str) -> bool:
    """Whether it is certain that no text has the pattern: it goes on after the end, or begins before the beginning."""
    parts = _parts(pattern)
    return (
        parts is not None and "(?" not in pattern.replace("(?:", "").replace("(?i)", "") and _is_dead(parts)
    )


def _parts(pattern: str) -> list[Part] | None:
    try:
        return _flat(parser.parse(pattern))
    except (re.error, OverflowError, RecursionError):
        return None


def _flat(parts: Iterable[Part]) -> list[Part]:
    """The parts in a row, groups opened; one with flags of its own stays closed."""
    found: list[Part] = []
    for kind, value in parts:
        if kind is op.SUBPATTERN and not value[1] and not value[2]:
            found += _flat(value[3])
        else:
            found.append((kind, value))
    return found


def _is_dead(parts: Sequence[Part]) -> bool:
    consumed = ended = False
    for kind, value in parts:
        if kind is op.AT:
            if consumed and value in _BEGINNINGS:
                return True
            ended = ended or value in _ENDS
            continue
        if _part_is_dead(kind, value):
            return True
        if _takes_something(kind, value):
            if ended:
                return True
            consumed = True
    return False


def _part_is_dead(kind: Any, value: Any) -> bool:
    if kind is op.BRANCH:
        return all(_is_dead(_flat(branch)) for branch in value[1])
    return kind in _REPEATS and value[0] > 0 and _is_dead(_flat(value[2]))


def _takes_something(kind: Any, value: Any) -> bool:
    """Whether it certainly takes a character of the text."""
    if kind in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
        return True
    if kind is op.BRANCH:
        return all(any(_takes_something(*part) for part in _flat(branch)) for branch in value[1])
    return kind in _REPEATS and value[0] > 0 and any(_takes_something(*part) for part in _flat(value[2]))


def _texts(parts: Sequence[Part], ways: int | None) -> Iterator[str]:
    """The texts of a row of parts; of what is without end, with `ways` only a few of them."""
    if not parts:
        yield ""
        return
    kind, value = parts[0]
    for first in _of_part(kind, value, ways):
        for rest in _texts(parts[1:], ways):
            if len(first) + len(rest) > _LONGEST:
                raise _OpenQuestionError
            yield first + rest


def _of_part(kind: Any, value: Any, ways: int | None) -> Iterator[str]:
    if kind is op.LITERAL:
        yield chr(value)
    elif kind is op.AT:
        yield ""
    elif kind is op.SUBPATTERN:
        if ways is None:
            raise _OpenQuestionError
        yield from _texts(_flat(value[3]), ways)
    elif kind is op.BRANCH:
        for branch in value[1] if ways != 1 else value[1][:1]:
            yield from _texts(_flat(branch), ways)
    elif kind in _REPEATS:
        yield from _repeated(value, ways)
    elif kind in (op.IN, op.ANY, op.NOT_LITERAL):
        yield from _characters(kind, value, ways)
    else:
        raise _OpenQuestionError


def _repeated(value: Any, ways: int | None) -> Iterator[str]:
    least, most, inner = value
    if ways is None:
        if most is op.MAXREPEAT or most > _MOST_TEXTS:
            raise _OpenQuestionError
        counts = range(least, most + 1)
    else:
        counts = range(least, least + 1) if ways == 1 or most == least else range(least, least + 2)
    if least > _LONGEST:
        raise _OpenQuestionError
    for count in counts:
        yield from _texts(_flat(inner) * count, ways)


def _characters(kind: Any, value: Any, ways: int | None) -> Iterator[str]:
    if kind is op.IN and all(each[0] is op.LITERAL for each in value):
        yield from (chr(each[1]) for each in (value if ways != 1 else value[:1]))
        return
    if ways is None:
        raise _OpenQuestionError
    first = [chr(each[1][0]) for each in value if each[0] is op.RANGE] if kind is op.IN else []
    fitting = [character for character in (*first, *_PREFERRED) if _fits(kind, value, character)]
    yield from fitting[:1]
    if ways != 1 and " " in fitting[1:]:
        yield " "  # where a word is to end


def _fits(kind: Any, value: Any, character: str) -> bool:
    if kind is op.ANY:
        return character != "\n"
    if kind is op.NOT_LITERAL:
        return bool(ord(character) != value)
    negated = value[0][0] is op.NEGATE
    return any(_is_member(each, character) for each in value[int(negated) :]) is not negated


def _is_member(member: Part, character: str) -> bool:
    kind, value = member
    if kind is op.LITERAL:
        return bool(ord(character) == value)
    if kind is op.RANGE:
        low, high = value
        return bool(low <= ord(character) <= high)
    return any(re.fullmatch(shown, character) for name, shown in _CATEGORIES.items() if value is name)


_CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_WORD: r"\W",
}


def _first_texts(parts: Sequence[Part], ways: int | None) -> list[str]:
    """The first texts, one more than are looked at; none if the question stays open."""
    try:
        return list(itertools.islice(_texts(parts, ways), _MOST_TEXTS + 1))
    except (_OpenQuestionError, RecursionError):
        return []
