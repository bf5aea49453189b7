"""What a check must know of the types of a world: found out once, then kept as long as the types look the same."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from odyssey.kit.words import id_noun, phrase, same_name, same_nouns, tokens
from odyssey.records.tools import EntityField, LedgerSchema
from odyssey.simulation.world.anatomy import Anatomy, Same, dissect
from odyssey.simulation.world.kinds import known_types
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

    __slots__ = ("_targets", "id_names", "types")

    def __init__(self, types: dict[str, TypeKnowledge]) -> None:
        self.types = types
        self.id_names: dict[str, tuple[str, ...]] = {}
        """The types whose ids stand in a member of this name."""
        for name in types:
            for field in self.names_of_id(name):
                self.id_names[field] = (*self.id_names.get(field, ()), name)
        self._targets: dict[tuple[str, str], tuple[str, ...]] = {}

    def names_of_id(self, entity_type: str) -> tuple[str, ...]:
        """The field that repeats the id; where ids are keys alone, what an answer may call them."""
        knowledge = self.types.get(entity_type)
        if knowledge is None:
            return ()
        if knowledge.anatomy.id_field is not None:
            return (knowledge.anatomy.id_field,)
        named = "_".join((*tokens(phrase(entity_type)), "id"))
        is_a_reference = any(named in each.anatomy.fields for each in self.types.values())
        return ("id",) if is_a_reference else ("id", named)

    def likeness(self, entity_type: str, shown: Mapping[str, Any]) -> int:
        """How many members of an object are called as fields of a type are."""
        knowledge = self.types.get(entity_type)
        return 0 if knowledge is None else sum(name in knowledge.anatomy.fields for name in shown)

    def is_a_part(self, shown: Mapping[str, Any]) -> bool:
        """Whether an object has the members of a part, which may point at an entity without being it."""
        return any(
            shown.keys() <= set(parts.members)
            for knowledge in self.types.values()
            for parts in knowledge.anatomy.collections
        )

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
