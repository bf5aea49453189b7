"""Just enough English to compare the names of tools, arguments, fields and entity types."""

import re
from functools import lru_cache

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_IRREGULAR_PLURALS = {"people": "person", "children": "child", "men": "man", "women": "woman"}
_IRREGULAR_PARTICIPLES = {
    "paid": "pay",
    "sent": "send",
    "held": "hold",
    "sold": "sell",
    "lost": "lose",
    "done": "do",
    "taken": "take",
    "frozen": "freeze",
    "withdrawn": "withdraw",
    "begun": "begin",
    "won": "win",
    "built": "build",
}
_SUFFIXES = ("ation", "ment", "ing", "ed", "ion", "al", "e")
_SHORTEST_STEM = 3


@lru_cache(maxsize=4096)
def tokens(name: str) -> tuple[str, ...]:
    """The words of `get_thing`, `get-thing`, `getThing` or `HTTPThing`, in lower case."""
    return tuple(token.lower() for token in _TOKEN.findall(_HUMP.sub("_", name)))


def same_name(left: str, right: str) -> bool:
    """Whether two names differ in spelling style only: `thingId` and `thing_id`."""
    return left == right or (tokens(left) == tokens(right) != ())


def is_plural(word: str) -> bool:
    return word in _IRREGULAR_PLURALS or (word.endswith("s") and not word.endswith(("ss", "us", "is")))


def singular(word: str) -> str:
    if word in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[word]
    if not is_plural(word):
        return word
    if word.endswith("ies") and len(word) > _SHORTEST_STEM + 1:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes", "uses")):
        return word[:-2]
    return word[:-1]


def same_noun(left: str, right: str) -> bool:
    """Whether two words are one noun, whichever of them is plural."""
    return left == right or not _singulars(left).isdisjoint(_singulars(right))


@lru_cache(maxsize=4096)
def _singulars(word: str) -> frozenset[str]:
    # Spelling alone cannot tell "buses" (bus) from "houses" (house), so every reading counts.
    readings = {word, singular(word)}
    if is_plural(word) and word.endswith("es"):
        readings |= {word[:-1], word[:-2]}
    return frozenset(reading for reading in readings if len(reading) >= _SHORTEST_STEM or reading == word)


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """What `cancel`, `cancelled`, `canceled`, `cancelling` and `cancellation` share."""
    word = _IRREGULAR_PARTICIPLES.get(word, word)
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            word = word.removesuffix(suffix)
            break
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") else word


def phrase(name: str) -> str:
    """A type's name as it reads in a sentence: `OldThings` is "old thing"."""
    words = tokens(name)
    return " ".join((*words[:-1], singular(words[-1]))) if words else name
