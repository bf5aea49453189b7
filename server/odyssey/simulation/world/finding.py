"""Finding the entities a selection asks for: through indexes where values are given, by looking otherwise."""

from collections.abc import Iterator, Mapping
from typing import Any

from odyssey.records.canonical import canonical_json
from odyssey.simulation.world.kinds import Kind
from odyssey.simulation.world.ordering import Order
from odyssey.simulation.world.roles import Filter, RangeBound, Selection, TextSearch
from odyssey.worlds.field_index import PathStep, values_at


def find(kind: Kind, selection: Selection, among: list[str] | None = None) -> list[str]:
    """The ids of the entities that pass, oldest first; `among` says which come into question."""
    # Filters for one value are looked up in indexes. Of those for several values ("open" or "paid") one is, if nothing
    # else has narrowed the search; all others are checked entity by entity, like bounds and texts.
    filters = [*selection.filters, *_by_key(selection)]
    single = [each for each in filters if len(each.values) == 1]
    rest = [each for each in filters if len(each.values) != 1]
    ids = among
    if single:
        found = _indexed(kind, single)
        ids = found if among is None else [each for each in among if each in set(found)]
    elif rest and ids is None:
        first = rest.pop()
        unique = {each for value in first.values for each in kind.world.having(kind.name, first.path, value)}
        ids = kind.world.oldest_first(kind.name, unique)
    if not (rest or selection.bounds or selection.texts):
        return list(kind.entities) if ids is None else ids
    entities = kind.entities
    return [
        each
        for each in (entities if ids is None else ids)
        if _passes(entities[each], rest, selection.bounds, selection.texts)
    ]


def in_order(kind: Kind, ids: list[str], order: Order | None) -> list[str]:
    """Sorted by one field; what lacks it comes last, what is equal stays in its place."""
    if order is None:
        return ids
    if order.latest_first:
        ids = ids[::-1]
    if not order.path:
        return ids
    if order.then:
        ids = in_order(kind, ids, order._replace(path=order.then, then=(), latest_first=False))
    entities = kind.entities
    keyed = [(each, next(iter(values_at(entities[each], order.path)), None)) for each in ids]
    known = [(each, value) for each, value in keyed if isinstance(value, str | int | float)]
    # Numbers and texts do not compare; a field that has both keeps them apart.
    known.sort(key=lambda pair: (isinstance(pair[1], str), pair[1]), reverse=order.descending)
    lacking = [each for each, value in keyed if not isinstance(value, str | int | float)]
    return [each for each, _ in known] + lacking


def _by_key(selection: Selection) -> Iterator[Filter]:
    for part in selection.parts:
        yield Filter(part.argument, (part.collection.field, PathStep.KEY), (part.key,))


def _indexed(kind: Kind, filters: list[Filter]) -> list[str]:
    """By the very values; if nothing has them, without regard to case, as look-ups of names mostly are."""
    exact = kind.world.having_all(kind.name, [(each.path, each.values[0]) for each in filters])
    if exact or not any(isinstance(each.values[0], str) for each in filters):
        return exact
    return kind.world.having_all(
        kind.name, [((*each.path, PathStep.FOLDED), each.values[0]) for each in filters]
    )


def _passes(
    fields: Mapping[str, Any], filters: list[Filter], bounds: list[RangeBound], texts: list[TextSearch]
) -> bool:
    return (
        all(_has_any(fields, each) for each in filters)
        and all(is_within(fields, each) for each in bounds)
        and all(_contains(fields, each) for each in texts)
    )


def _has_any(fields: Mapping[str, Any], wanted: Filter) -> bool:
    values = {canonical_json(value) for value in wanted.values}
    return any(canonical_json(value) in values for value in values_at(fields, wanted.path))


def is_within(fields: Mapping[str, Any], bound: RangeBound) -> bool:
    for value in values_at(fields, bound.path):
        if isinstance(value, str) and isinstance(bound.value, str):
            # "until 2024-05-01" includes that day, whatever the hour; "before 2024-05-01" excludes all of it
            left: Any = value[: len(bound.value)]
        elif _is_number(value) and _is_number(bound.value):
            left = value
        else:
            continue
        if left == bound.value:
            return not bound.strict
        return bool(left > bound.value) == (bound.side == "low")
    return False


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _contains(fields: Mapping[str, Any], wanted: TextSearch) -> bool:
    inside: Any = fields if wanted.path is None else list(values_at(fields, wanted.path))
    if wanted.among:
        inside = {name: fields.get(name) for name in wanted.among}
    text = wanted.text.casefold()
    if wanted.whole:
        return " ".join(_texts(inside)).casefold() == text
    found = [each.casefold() for each in _texts(inside)]
    if wanted.among:
        return any(text in each for each in (*found, " ".join(found)))
    return any(text in each for each in found) or _has_words(found, text.split())


def _has_words(found: list[str], words: list[str]) -> bool:
    return len(words) > 1 and all(any(word in each for each in found) for word in words)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
