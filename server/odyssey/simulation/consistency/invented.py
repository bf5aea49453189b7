"""Ids that nothing in the world has: an object that can only be an entity, and is none of those there are."""

from collections.abc import Iterator, Mapping
from typing import Any

from odyssey.kit.words import id_noun
from odyssey.records.ledger import Violation
from odyssey.simulation.consistency.knowledge import WorldKnowledge
from odyssey.simulation.consistency.meant import Meant
from odyssey.worlds.field_index import Path, Step, values_at
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import brief, id_text

_ENOUGH = 2
"""Members of a thing beside its id by which an object shows one; fewer say only what became of the question."""


def check_invented(
    shown: dict[str, Any],
    id_names: Mapping[str, tuple[str, ...]],
    known: WorldKnowledge,
    meant: Meant,
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
        if likely and not known.is_a_part(shown) and not _points_out_of_the_world(name, types, known, after):
            yield invented(likely[0], entity_id, name, sequence)
            return


def _shows(
    shown: dict[str, Any], name: str, entity_type: str, known: WorldKnowledge, meant: Meant, entity_id: str
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


def _points_out_of_the_world(name: str, types: tuple[str, ...], known: WorldKnowledge, after: Ledger) -> bool:
    """Whether half of what the oldest entities so point at is not there: many worlds hold only some of it."""
    there = gone = 0
    for entity_type, knowledge in known.types.items():
        anatomy = knowledge.anatomy
        paths: list[Path] = [
            (each.field, Step.EACH, name) for each in anatomy.collections if name in each.members
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
