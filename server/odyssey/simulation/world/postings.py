"""What else a description says will happen: "the debit will be reversed", "the reversal will be added to …".

An entity may keep a list of records that each have a kind and one number. If the description says that one kind
"will be" another, every record of the first kind gets a counterpart of the second. If it says that this is added to
something, and the record points at a part that has a number so called, that number grows by it.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, stem, tokens
from odyssey.records.ledger import Operation, Update
from odyssey.simulation.world.anatomy import Collection
from odyssey.simulation.world.kinds import Kind
from odyssey.simulation.world.relations import holder
from odyssey.worlds.field_index import Step

_WILL_BE = re.compile(r"\b(\w+)\s+(?:will be|is|are|gets?)\s+(?:fully\s+)?(\w+)", re.IGNORECASE)
_ADDED = re.compile(
    r"\b(\w+)\s+(?:will be|is|gets?)\s+(?:added|credited)\s+(?:back\s+)?to\s+([^.;]{3,80})", re.IGNORECASE
)


class _Turn(NamedTuple):
    """Records of one kind that get a counterpart of another."""

    collection: Collection
    kind_field: str
    number_field: str
    before: str
    after: str


class Postings(NamedTuple):
    fields: dict[str, Any]
    """What changes in the entity itself."""
    operations: tuple[Operation, ...]
    """What changes elsewhere."""


def postings_of(kind: Kind, entity_id: str, fields: Mapping[str, Any], description: str) -> Postings:
    turn = next(_turns(kind, description), None)
    held = fields.get(turn.collection.field) if turn else None
    if turn is None or not isinstance(held, list):
        return Postings({}, ())
    added = [
        {**each, turn.kind_field: turn.after} for each in held if each.get(turn.kind_field) == turn.before
    ]
    operations = _credits(kind, entity_id, turn, added, description)
    return Postings({turn.collection.field: [*held, *added]} if added else {}, operations)


def _turns(kind: Kind, description: str) -> Iterator[_Turn]:
    pairs = _WILL_BE.findall(description.lower())
    for collection in kind.anatomy.collections if pairs else ():
        texts = [
            name for name in collection.members if collection.kinds[name] == {"string"} and not id_noun(name)
        ]
        numbers = [name for name in collection.members if collection.kinds[name] == {"number"}]
        if collection.by_key or len(numbers) != 1:
            continue
        for field in texts:
            values = [
                each for each in kind.values_at((collection.field, Step.EACH, field)) if isinstance(each, str)
            ]
            by_stem = {stem("".join(tokens(value))): value for value in values}
            for subject, participle in pairs:
                before, after = by_stem.get(stem(subject)), by_stem.get(stem(participle))
                if before is not None and after is not None and before != after:
                    yield _Turn(collection, field, numbers[0], before, after)


def _credits(
    kind: Kind, entity_id: str, turn: _Turn, added: list[dict[str, Any]], description: str
) -> tuple[Operation, ...]:
    goals = [goal for what, goal in _ADDED.findall(description.lower()) if stem(what) == stem(turn.after)]
    if not goals:
        return ()
    words = set(tokens(goals[0]))
    changed: dict[tuple[str, str, str], dict[str, Any]] = {}
    for record in added:
        for pointer in (name for name in record if id_noun(name)):
            place = holder(kind, entity_id, pointer)
            if place is None or place.kind.name == kind.name or not place.keeps(record[pointer]):
                continue
            field = place.place.collection.field
            key = (place.kind.name, place.entity_id, field)
            held = changed.setdefault(key, place.kind.entities[place.entity_id][field])
            _credit(held[record[pointer]], words, record[turn.number_field])
    return tuple(Update(name, owner, {field: held}) for (name, owner, field), held in changed.items())


def _credit(part: dict[str, Any], words: set[str], amount: Any) -> None:
    for name, value in part.items():
        if tokens(name)[-1:] and tokens(name)[-1] in words and isinstance(value, int | float):
            # Decimals, so that 0.1 and 0.2 make 0.3 as they do in books.
            part[name] = float(Decimal(repr(value)) + Decimal(repr(amount)))
            return
