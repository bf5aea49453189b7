"""What is known of one entity type: by declaration, and by looking at the entities that are there."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from odyssey.records.tools import EntityField, EntityType, LedgerSchema
from odyssey.simulation.world.words import same_name, tokens
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

_SAMPLE = 20
_ID_SAMPLE = 5  # a field that repeats the id does so in every entity; a few show it


@dataclass(frozen=True)
class Kind:
    name: str
    declared: EntityType | None
    world: Ledger

    @property
    def entities(self) -> Mapping[str, Mapping[str, Any]]:
        return self.world.entities(self.name)

    @cached_property
    def _sample(self) -> list[tuple[str, Mapping[str, Any]]]:
        return self.world.sample(self.name, _SAMPLE)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The declared fields, then those the oldest entities carry."""
        declared = [field.name for field in self.declared.fields] if self.declared else []
        seen = [name for _, fields in self._sample for name in fields]
        return tuple(dict.fromkeys([*declared, *seen]))

    @cached_property
    def id_field(self) -> str | None:
        """The field that repeats the id: the declared one, or one that does so in every entity looked at."""
        if self.declared is not None:
            return self.declared.id_field
        repeating: list[str] | None = None
        for entity_id, fields in self._sample[:_ID_SAMPLE]:
            candidates = fields if repeating is None else repeating
            repeating = [name for name in candidates if id_text(fields.get(name)) == entity_id]
        ids_first = sorted(repeating or [], key=lambda name: tokens(name)[-1:] != ("id",))
        return ids_first[0] if ids_first else None

    def field_named(self, argument: str) -> str | None:
        """The field an argument is about, if it is about one."""
        if argument in self.fields:
            return argument
        return next((name for name in self.fields if same_name(name, argument)), None)

    def declaration(self, field: str) -> EntityField | None:
        declared = self.declared.fields if self.declared else []
        return next((candidate for candidate in declared if candidate.name == field), None)

    def known_values(self, field: str) -> list[str]:
        """The texts this field may hold: those of its enum, then those found in the world."""
        declaration = self.declaration(field)
        listed = (declaration.enum or []) if declaration else []
        seen = (fields.get(field) for fields in self.entities.values())
        return list(dict.fromkeys(value for value in (*listed, *seen) if isinstance(value, str)))

    def ids_are_integers(self) -> bool:
        """Whether `id_field` holds the id as a number, although the ledger keys it by text."""
        if self.id_field is None:
            return False
        declaration = self.declaration(self.id_field)
        if declaration is not None:
            return declaration.type in ("integer", "number")
        return any(isinstance(fields.get(self.id_field), int) for _, fields in self._sample[:_ID_SAMPLE])


def know(name: str, world: Ledger, schema: LedgerSchema | None) -> Kind:
    declared = next((entity for entity in schema.entities if entity.type == name), None) if schema else None
    return Kind(name, declared, world)


def known_types(world: Ledger, schema: LedgerSchema | None) -> tuple[str, ...]:
    declared = [entity.type for entity in schema.entities] if schema else []
    return tuple(dict.fromkeys([*world.entity_types(), *declared]))
