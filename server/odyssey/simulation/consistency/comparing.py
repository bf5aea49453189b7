"""Where a shown value contradicts the ledger, and ids that nothing in the world has."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from odyssey.kit.words import id_noun
from odyssey.records.canonical import canonical_json
from odyssey.records.ledger import Violation
from odyssey.simulation.consistency.knowledge import CallMeaning, WorldKnowledge
from odyssey.worlds.field_index import Path, PathStep, values_at
from odyssey.worlds.ledger import Ledger, json_equal
from odyssey.worlds.schema import brief, id_text

# Where a shown value contradicts the one the ledger has: only what both have is compared, at any depth.

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
    # Shown {"town": "Oslo", "zip": 1} where the ledger has {"town": "Rome", "street": "x"}: only the town contradicts.
    # Of the tags [1, 2], [2, 1] and [1] may be shown, [3] not; [1] neither if this call wrote them.
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


# Ids that nothing in the world has: an object that can only be an entity, and is none of those there are.

_ENOUGH = 2
"""Members of a thing beside its id by which an object shows one; fewer say only what became of the question."""


def check_invented(
    shown: dict[str, Any],
    id_names: Mapping[str, tuple[str, ...]],
    known: WorldKnowledge,
    meant: CallMeaning,
    before: Ledger,
    after: Ledger,
    sequence: int | None,
) -> Iterator[Violation]:
    """Name the ids in an object that shows no entity there is. What the call removed is not invented."""
    for name in shown:
        types = id_names.get(name, ())
        entity_id = id_text(shown[name]) if types else None
        if not entity_id or _exists(entity_id, types, after) or _exists(entity_id, types, before):
            continue
        likely = [each for each in types if _shows(shown, name, each, known, meant, entity_id)]
        if likely and not known.is_a_part(shown) and not points_out_of_the_world(name, types, known, after):
            yield invented(likely[0], entity_id, name, sequence)
            return


def _shows(
    shown: dict[str, Any],
    name: str,
    entity_type: str,
    known: WorldKnowledge,
    meant: CallMeaning,
    entity_id: str,
) -> bool:
    """Whether an object is a thing and not only something that has an id, or that repeats the question."""
    knowledge = known.types.get(entity_type)
    fields = set() if knowledge is None else set(knowledge.anatomy.fields)
    others = [each for each in shown if each != name]
    alike = sum(each in fields and shown[each] is not None for each in others)
    if entity_id in meant.given:
        return alike >= _ENOUGH
    if id_noun(name) or meant.entity_type == entity_type:
        return True
    return bool(alike) and 2 * alike >= len(others)


def points_out_of_the_world(name: str, types: tuple[str, ...], known: WorldKnowledge, after: Ledger) -> bool:
    """Whether half of what the oldest entities so point at is not there: many worlds hold only some of it."""
    there = gone = 0
    for entity_type, knowledge in known.types.items():
        anatomy = knowledge.anatomy
        paths: list[Path] = [
            (each.field, PathStep.EACH, name) for each in anatomy.collections if name in each.members
        ]
        if name in anatomy.fields and name != anatomy.id_field:
            paths.append((name,))
        entities = after.sample(entity_type).entities.values() if paths else ()
        ids = [id_text(each) for path in paths for fields in entities for each in values_at(fields, path)]
        there += sum(bool(each) and _exists(each or "", types, after) for each in ids)
        gone += sum(bool(each) and not _exists(each or "", types, after) for each in ids)
    return gone > 0 and gone >= there


def _exists(entity_id: str, types: tuple[str, ...], world: Ledger) -> bool:
    return any(world.entity(entity_type, entity_id) is not None for entity_type in types)


def invented(entity_type: str, entity_id: str, field: str | None, sequence: int | None) -> Violation:
    message = f"the response gives the id {brief(entity_id)}, but no {entity_type} with this id exists"
    return Violation("invented_id", entity_type, entity_id, field, message, sequence)
