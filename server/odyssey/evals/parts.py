"""Where two texts or two JSON values first differ, and how far apart texts are."""

import re
from typing import Any, NamedTuple

from rapidfuzz.distance import Indel

from odyssey.worlds.ledger import json_equal

# Where two behaviours first part ways.


class FirstDifference(NamedTuple):
    where: str
    """A path, a call, a word: in the words of the part it belongs to."""
    left: Any
    """None also where there is nothing on this side."""
    right: Any


# How much two texts differ, by words: how many must go and come to make one of the other.
#
# Case, punctuation and layout do not count. Texts without words are compared by characters.

# Scripts written without spaces count by character; elsewhere a word is a word.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|\w+")
_CONTEXT = 5


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def text_distance(left: str, right: str) -> float:
    return words_distance(words(left), words(right), left, right)


def words_distance(left_words: list[str], right_words: list[str], left: str, right: str) -> float:
    """Compare texts whose words are known already."""
    if left_words or right_words:
        return float(Indel.normalized_distance(left_words, right_words))
    return float(Indel.normalized_distance(left.strip(), right.strip()))


def first_text_difference(left: str, right: str) -> FirstDifference | None:
    """Name the first word that differs and show it with the words that follow."""
    ours, theirs = words(left), words(right)
    if ours == theirs:
        return None if ours or left.strip() == right.strip() else FirstDifference("text", left, right)
    position = next(
        (index for index, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
        min(len(ours), len(theirs)),
    )
    return FirstDifference(f"word {position + 1}", _from(ours, position), _from(theirs, position))


def _from(said: list[str], position: int) -> str | None:
    return " ".join(said[position : position + _CONTEXT]) or None


# Where two JSON values first differ.


def first_json_difference(left: Any, right: Any, path: str = "$") -> FirstDifference | None:
    """Find the first place, in the order of the left, where the values are not the same."""
    if json_equal(left, right):
        return None
    if isinstance(left, dict) and isinstance(right, dict):
        names = [*left, *(name for name in right if name not in left)]
        steps = [(f"{path}.{name}", left.get(name), right.get(name)) for name in names]
    elif isinstance(left, list) and isinstance(right, list) and left and right:
        longest = max(len(left), len(right))
        steps = [(f"{path}[{place}]", _item(left, place), _item(right, place)) for place in range(longest)]
    else:
        return FirstDifference(path, left, right)
    found = (first_json_difference(ours, theirs, where) for where, ours, theirs in steps)
    # A member that is null on one side and absent on the other is told by the whole.
    return next((differs for differs in found if differs is not None), FirstDifference(path, left, right))


def _item(items: list[Any], place: int) -> Any:
    return items[place] if place < len(items) else None
