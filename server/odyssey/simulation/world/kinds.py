"""What is known of one entity type: by declaration, and by looking at the entities that are there."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from odyssey.kit.words import are_tail, id_noun, same_name, tokens
from odyssey.records.tools import EntityField, EntityType, LedgerSchema
from odyssey.simulation.world.anatomy import Anatomy, FieldPath, dissect
from odyssey.worlds.field_index import Path
from odyssey.worlds.ledger import Ledger

_VOCABULARY = 100
"""A field with more different values than this holds no vocabulary but data."""


@dataclass(frozen=True)
class Kind:
    name: str
    declared: EntityType | None
    world: Ledger
    schema: LedgerSchema | None

    @property
    def entities(self) -> Mapping[str, Mapping[str, Any]]:
        return self.world.entities(self.name)

    @cached_property
    def anatomy(self) -> Anatomy:
        return dissect(self.world.sample(self.name), self.declared)

    @property
    def fields(self) -> tuple[str, ...]:
        return self.anatomy.fields

    @property
    def id_field(self) -> str | None:
        return self.anatomy.id_field

    def path_of(self, argument: str) -> FieldPath | None:
        """The field an argument is about, if it is about one; fields inside records are found as well."""
        return self.anatomy.path_of(argument, self.name)

    def field_named(self, argument: str) -> str | None:
        """The field of exactly this name, in whatever spelling."""
        if argument in self.fields:
            return argument
        return next((name for name in self.fields if same_name(name, argument)), None)

    def is_meant_by(self, argument: str) -> bool:
        """Whether an argument gives the id of such an entity: by the id field's name, or as `thing_id`."""
        noun = id_noun(argument)
        if self.id_field is not None and self.id_field != "id" and same_name(argument, self.id_field):
            return True
        return bool(noun) and noun is not None and are_tail(noun, tokens(self.name))

    def declaration(self, field: str) -> EntityField | None:
        declared = self.declared.fields if self.declared else []
        return next((candidate for candidate in declared if candidate.name == field), None)

    def known_values(self, field: str) -> list[str]:
        """The texts this field may hold: those of its enum, then those found in the world."""
        declaration = self.declaration(field)
        listed = (declaration.enum or []) if declaration else []
        seen = self.values_at((field,))
        return list(dict.fromkeys(value for value in (*listed, *seen) if isinstance(value, str)))

    def values_at(self, path: Path) -> list[Any]:
        return self.world.vocabulary(self.name, path, at_most=_VOCABULARY)

    def ids_are_integers(self) -> bool:
        """Whether `id_field` holds the id as a number, although the ledger keys it by text."""
        if self.id_field is None:
            return False
        declaration = self.declaration(self.id_field)
        if declaration is not None:
            return declaration.type in ("integer", "number")
        return self.anatomy.has((self.id_field,), "number")

    def other(self, name: str) -> "Kind":
        return know(name, self.world, self.schema)

    def all_kinds(self) -> list["Kind"]:
        return [self.other(name) for name in known_types(self.world, self.schema)]


def known_types(world: Ledger, schema: LedgerSchema | None) -> tuple[str, ...]:
    declared = [entity.type for entity in schema.entities] if schema else []
    return tuple(dict.fromkeys([*world.entity_types(), *declared]))


def know(name: str, world: Ledger, schema: LedgerSchema | None) -> Kind:
    entities = schema.entities if schema else []
    return Kind(name, next((entity for entity in entities if entity.type == name), None), world, schema)
