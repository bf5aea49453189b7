"""Where a shown value contradicts the one the ledger has: only what both have is compared, at any depth."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from odyssey.records.canonical import canonical_json
from odyssey.worlds.ledger import json_equal

SCALARS = frozenset({str, int, float, bool, type(None)})
_DEPTH = 8
_MOST_TRIED = 1000


class Contradiction(NamedTuple):
    field: str
    """`status`, or `home.town` and `lines.0.price` for what lies deeper."""
    shown: Any
    held: Any


def contradictions(shown: Any, held: Any, field: str, *, whole: bool) -> Iterator[Contradiction]:
    """`whole`: the value was written by this very call, so that nothing of it can be left out or be more."""
    kind = type(shown)
    if kind in SCALARS:
        if _scalars_differ(shown, held):
            yield Contradiction(field, shown, held)
    elif isinstance(held, Mapping | list) and _is_same_text(shown, held):
        return
    elif kind is dict and isinstance(held, Mapping):
        yield from _objects(shown, held, field, whole)
    elif kind is list and isinstance(held, list):
        yield from _lists(shown, held, field, whole)
    elif kind is list and held is not None and not isinstance(held, Mapping):
        yield Contradiction(field, shown, held)


def _scalars_differ(shown: Any, held: Any) -> bool:
    """A number may stand for a list (how many) or a text for an object (what it is called)."""
    if type(shown) is type(held):
        return bool(shown != held)
    return type(held) in SCALARS and not json_equal(shown, held)


def _objects(
    shown: dict[str, Any], held: Mapping[str, Any], field: str, whole: bool
) -> Iterator[Contradiction]:
    if field.count(".") >= _DEPTH:
        return
    for name, value in shown.items():
        if name in held:
            yield from contradictions(value, held[name], f"{field}.{name}", whole=whole)
        elif whole:
            yield Contradiction(f"{field}.{name}", value, None)


def _lists(shown: list[Any], held: list[Any], field: str, whole: bool) -> Iterator[Contradiction]:
    """A list may be in another order; one that was not just written may show a part of the elements."""
    if field.count(".") >= _DEPTH or (len(shown) != len(held) and not whole):
        yield from _strangers(shown, held, field)
    elif len(shown) != len(held):
        yield Contradiction(field, shown, held)
    elif not _are_same_in_any_order(shown, held, field):
        for place, (ours, theirs) in enumerate(zip(shown, held, strict=True)):
            yield from contradictions(ours, theirs, f"{field}.{place}", whole=whole)


def _are_same_in_any_order(shown: list[Any], held: list[Any], field: str) -> bool:
    if all(type(each) in SCALARS for each in (*shown, *held)):
        return sorted(map(canonical_json, shown)) == sorted(map(canonical_json, held))
    return not any(_strangers(shown, held, field))


def _strangers(shown: list[Any], held: list[Any], field: str) -> Iterator[Contradiction]:
    """The elements that none of the held ones can be."""
    known = {canonical_json(each) for each in held}
    are_plain = all(type(each) in SCALARS for each in (*shown, *held))
    for place, each in enumerate(shown):
        if canonical_json(each) in known:
            continue
        alike = [other for other in held[:_MOST_TRIED] if _are_of_a_kind(each, other)]
        agreeing = any(not any(contradictions(each, other, field, whole=False)) for other in alike)
        if not agreeing and (alike or are_plain or not held):
            yield Contradiction(f"{field}.{place}", each, alike[0] if len(alike) == 1 else held)


def _are_of_a_kind(shown: Any, held: Any) -> bool:
    if isinstance(shown, dict) and isinstance(held, dict):
        return bool(shown.keys() & held.keys())
    return isinstance(shown, list) and isinstance(held, list)


def _is_same_text(shown: Any, held: Any) -> bool:
    return type(held) is type(shown) and msgspec.json.encode(shown) == msgspec.json.encode(held)
