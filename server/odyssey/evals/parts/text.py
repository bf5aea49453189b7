"""How much two texts differ, by words: how many must go and come to make one of the other.

Case, punctuation and layout do not count. Texts without words are compared by characters.
"""

import re

from rapidfuzz.distance import Indel

from odyssey.evals.parts.differs import Differs

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


def first_text_difference(left: str, right: str) -> Differs | None:
    """Name the first word that differs and show it with the words that follow."""
    ours, theirs = words(left), words(right)
    if ours == theirs:
        return None if ours or left.strip() == right.strip() else Differs("text", left, right)
    position = next(
        (index for index, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b),
        min(len(ours), len(theirs)),
    )
    return Differs(f"word {position + 1}", _from(ours, position), _from(theirs, position))


def _from(said: list[str], position: int) -> str | None:
    return " ".join(said[position : position + _CONTEXT]) or None
