"""What a check must know of the types of a world: found out once, then kept as long as the types look the same."""

from functools import lru_cache
from typing import NamedTuple

from odyssey.records.tools import EntityField, LedgerSchema
from odyssey.simulation.world.anatomy import Anatomy, Same, dissect
from odyssey.simulation.world.kinds import known_types
from odyssey.simulation.world.words import id_noun, same_name, same_nouns, tokens
from odyssey.worlds.entity_map import Sample
from odyssey.worlds.ledger import Ledger

_KEPT_TARGETS = 1000
_NO_FIELDS: dict[str, EntityField] = {}


class TypeKnowledge(NamedTuple):
    anatomy: Anatomy
    declared: dict[str, EntityField] | None
    """The declared fields by name; None for a type no ledger schema declares."""

    def declaration(self, field: str) -> EntityField | None:
        return (self.declared or _NO_FIELDS).get(field)


class WorldKnowledge:
    """Equal only to itself; holds nothing of the entities but what a few of each type are made of."""

    __slots__ = ("_targets", "by_id_field", "types")

    def __init__(self, types: dict[str, TypeKnowledge]) -> None:
        self.types = types
        self.by_id_field: dict[str, tuple[str, ...]] = {}
        """The types whose entities repeat their id in a field of this name."""
        for name, knowledge in types.items():
            field = knowledge.anatomy.id_field
            if field is not None:
                self.by_id_field[field] = (*self.by_id_field.get(field, ()), name)
        self._targets: dict[tuple[str, str], tuple[str, ...]] = {}

    def pointed_at(self, entity_type: str, field: str) -> tuple[str, ...]:
        """The types of which a field of this type holds an id: `thing_id` of things; none if it is no reference."""
        if not field or field[-1] not in "dDsS":
            return ()  # neither an id nor ids: most fields, told at once
        key = (entity_type, field)
        found = self._targets.get(key)
        if found is None:
            if len(self._targets) >= _KEPT_TARGETS:
                self._targets.clear()  # whoever proposes operations chooses the names of fields
            found = self._targets[key] = tuple(self._find_targets(entity_type, field))
        return found

    def _find_targets(self, entity_type: str, field: str) -> list[str]:
        own = self.types.get(entity_type)
        if own is not None and own.anatomy.id_field == field:
            return []
        noun = id_noun(field) or ()
        return [
            name
            for name, knowledge in self.types.items()
            if same_nouns(noun, tokens(name)) or _is_name_of_id(field, knowledge.anatomy.id_field)
        ]


def know_world(world: Ledger, schema: LedgerSchema | None) -> WorldKnowledge:
    names = known_types(world, schema)
    return _know(names, tuple(world.sample(name) for name in names), Same(schema))


@lru_cache(maxsize=256)
def _know(names: tuple[str, ...], samples: tuple[Sample, ...], same: Same) -> WorldKnowledge:
    schema: LedgerSchema | None = same.it
    declared = {entity.type: entity for entity in schema.entities} if schema else {}
    types: dict[str, TypeKnowledge] = {}
    for name, sample in zip(names, samples, strict=True):
        entity = declared.get(name)
        fields = None if entity is None else {field.name: field for field in entity.fields}
        types[name] = TypeKnowledge(dissect(sample, entity), fields)
    return WorldKnowledge(types)


def _is_name_of_id(field: str, id_field: str | None) -> bool:
    """Whether a field is called as the ids of a type are; `id` alone could be anything's."""
    return id_field is not None and bool(id_noun(id_field)) and same_name(field, id_field)
