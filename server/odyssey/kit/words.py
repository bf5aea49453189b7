"""Just enough English to compare the names of tools, arguments, fields and entity types; and shortening texts."""

import re
from collections.abc import Sequence
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
_PARTICIPLES = {verb: participle for participle, verb in _IRREGULAR_PARTICIPLES.items()}
_VOWELS = frozenset("aeiou")
_ID_WORDS = frozenset({"id", "ids", "uuid", "uuids"})
_SUFFIXES = ("ation", "ment", "ing", "ed", "ion", "al", "e")
_SHORTEST_STEM = 3


def shorten(text: str, longest: int) -> str:
    """Cut a text so that with the `…` at its end it has no more characters than this."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


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


@lru_cache(maxsize=4096)
def participle(verb: str) -> str:
    """How `cancel`, `close`, `deny`, `ship` and `send` read after "it cannot be"."""
    if verb in _PARTICIPLES:
        return _PARTICIPLES[verb]
    first, _, particle = verb.partition("_")
    if particle:
        return f"{participle(first)} {particle}"
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return verb[:-1] + "ied"
    closed = len(verb) > 2 and verb[-1] not in _VOWELS | set("wxy") and verb[-2] in _VOWELS
    is_short = closed and verb[-3] not in _VOWELS and (len(verb) <= _SHORTEST_STEM + 1 or verb[-1] == "l")
    stressed_last = verb.endswith("fer") and not verb.endswith("ffer")
    return verb + (verb[-1] if is_short or stressed_last else "") + "ed"


@lru_cache(maxsize=4096)
def id_noun(name: str) -> tuple[str, ...] | None:
    """What an id is the id of: `thing_id` and `thing_ids` of a thing, `id` of nothing in particular."""
    words = tokens(name)
    return words[:-1] if words and words[-1] in _ID_WORDS else None


def is_id_list(name: str) -> bool:
    return tokens(name)[-1:] in (("ids",), ("uuids",))


def are_tail(words: Sequence[str], nouns: Sequence[str]) -> bool:
    """Whether the words are the last of these nouns; no words at all are the tail of anything."""
    tail = nouns[len(nouns) - len(words) :] if len(words) <= len(nouns) else ()
    return len(words) == len(tail) and all(same_noun(*pair) for pair in zip(words, tail, strict=True))


def same_nouns(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two names are one, whichever of them is in the plural."""
    return bool(left) and len(left) == len(right) and are_tail(left, right)


def initials(name: str) -> str:
    return "".join(word[0] for word in tokens(name))


def listed(names: Sequence[str], last: str = "and") -> str:
    """The names in a sentence: "a, b and c"."""
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)


def phrase(name: str) -> str:
    """A type's name as it reads in a sentence: `OldThings` is "old thing"."""
    words = tokens(name)
    return " ".join((*words[:-1], singular(words[-1]))) if words else name
