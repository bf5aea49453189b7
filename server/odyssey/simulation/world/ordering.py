"""The order that a description promises: "newest first", "sorted by price", "Lists rooms by name"."""

import re
from functools import lru_cache
from typing import NamedTuple

from odyssey.kit.words import same_name, same_noun, stem, tokens, word_set
from odyssey.simulation.world.kinds import FieldPath, Kind

_PRICES = word_set("price fare cost fee rate")
_SORTED_BY = re.compile(
    r"\b(?:sorted|ordered|in order|first \d+)(?: \w+ally)? (?:by|of) (?:the |their )?([\w ]{2,40})",
    re.IGNORECASE,
)
_LISTED_BY = re.compile(
    r"^(?:lists?|shows?|gets?|returns?)\b[^.;,]{2,60}? by (?:the |their )?([\w ]{2,40})", re.IGNORECASE
)
_TIME_FIRST = re.compile(
    r"\b(newest|latest|most recent(?:ly)?|oldest|earliest|soonest|next)(?: ([\w ]{2,30}?))? first\b",
    re.IGNORECASE,
)
_MOST_FIRST = re.compile(
    r"\b(cheapest|lowest|smallest|fewest|worst|highest|largest|biggest|best|most expensive|most|longest|shortest)"
    r"[ -]?(?:(\w+) )?first\b",
    re.IGNORECASE,
)
_FALLING = re.compile(
    r"\b(?:descending|(?:highest|largest|newest|latest|best|most) (?:\w+ )?first)\b", re.IGNORECASE
)
_LATER_TO_EARLIER = word_set("newest latest recent recently")
_MORE_TO_LESS = frozenset({"highest", "largest", "biggest", "best", "most expensive", "most", "longest"})
_SIMPLY = {"rated": "rating", "reviewed": "rating", "priced": "price", "expensive": "price"}


class Order(NamedTuple):
    path: FieldPath
    """Empty: the order in which they came."""
    descending: bool
    latest_first: bool = False
    """Of equals too the last to come is the first."""
    then: FieldPath = ()
    """What equals are sorted by."""


class _SaidOrder(NamedTuple):
    words: tuple[str, ...]
    """What it is sorted by; empty for the time that something came."""
    descending: bool
    is_time: bool = False
    is_listed_by: bool = False
    """Only said as "lists things by name", which may speak of a filter as well."""


@lru_cache(maxsize=1024)
def _said_order(description: str) -> _SaidOrder | None:
    """What a description says a list is sorted by."""
    # "Lists orders, newest first", "sorted by price, highest first", "Cheapest first."
    description = re.sub(r"\s?\([^()]{0,200}\)", "", description)
    found = _SORTED_BY.search(description)
    if found is not None:
        return _SaidOrder(tokens(found[1]), _FALLING.search(description) is not None)
    if re.search(r"\balphabetical", description, re.IGNORECASE):
        return _SaidOrder(("name",), descending=False)
    found = _TIME_FIRST.search(description)
    if found is not None:
        falls = not _LATER_TO_EARLIER.isdisjoint(tokens(found[1]))
        return _SaidOrder(tokens(found[2] or ""), falls, is_time=True)
    found = _MOST_FIRST.search(description)
    if found is not None:
        word = (found[2] or "price").lower()
        return _SaidOrder(tokens(_SIMPLY.get(word, word)), found[1].lower() in _MORE_TO_LESS)
    found = _LISTED_BY.search(description)
    if found is None:
        return None
    return _SaidOrder(tokens(found[1]), _FALLING.search(description) is not None, is_listed_by=True)


def described_order(kind: Kind, description: str, filters: tuple[str, ...] = ()) -> Order | None:
    """The order a description promises; None where it promises none that this type can be brought into."""
    said = _said_order(description)
    if said is None:
        return None
    if said.is_time:
        return _by_time(kind, said)
    # "sorted by due date in each folder": the longest beginning that is a field.
    for end in range(len(said.words), 0, -1):
        words = "_".join(said.words[:end])
        if said.is_listed_by and any(same_name(each, words) or each in words for each in filters):
            return None
        path = kind.path_of(words) or _only_field_ending(kind, said.words[:end])
        path = path or ((kind.id_field,) if kind.id_field and words in ("id", "number") else None)
        if path is not None:
            return Order(path, said.descending, then=_then(kind, said.words[end:]))
    if said.words == ("price",):
        prices = [name for name in kind.fields if not _PRICES.isdisjoint(tokens(name))]
        return Order((prices[0],), said.descending) if prices else None
    return None


def _only_field_ending(kind: Kind, words: tuple[str, ...]) -> FieldPath | None:
    """`sorted by name` where the only name is a `full_name`."""
    found = [name for name in kind.fields if tokens(name)[-len(words) :] == words]
    return (found[0],) if len(found) == 1 else None


def _then(kind: Kind, words: tuple[str, ...]) -> FieldPath:
    """`last name and then first name`: the second of them."""
    rest = [word for word in words if word not in ("and", "then", "by", "the")]
    return kind.path_of("_".join(rest)) or () if rest and len(rest) < len(words) else ()


def _by_time(kind: Kind, said: _SaidOrder) -> Order:
    """By the date that is named, or the first that all have; without one, by when they came."""
    path = kind.path_of("_".join(said.words)) if said.words else None
    if path is not None:
        return Order(path, said.descending)
    about = [name for name in kind.anatomy.dates if _shares_word(tokens(name), said.words)]
    times = about or [name for name in kind.anatomy.dates if not kind.anatomy.has((name,), "null")]
    return Order((times[0],) if times else (), said.descending, latest_first=said.descending)


def _shares_word(name: tuple[str, ...], words: tuple[str, ...]) -> bool:
    return any(same_noun(left, right) or stem(left) == stem(right) for left in name for right in words)
