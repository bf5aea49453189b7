"""The world at one moment: entities by type and id, and a set of flags. A change makes another ledger.

State is what the entities and flags say. A type without entities is vocabulary, not state: `entity_types`
goes on naming it (a world whose last order was removed still knows what an order is), while `to_state`,
`hash` and `==` leave it out, so that adding an entity and removing it again leads back to the same hash.

Values are equal when their canonical JSON is: 1 and 1.0 are, 1 and true are not.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from odyssey.records.canonical import canonical_json, content_hash
from odyssey.records.ledger import Fields, State
from odyssey.worlds.entity_map import EntityMap, Sample, entity_map
from odyssey.worlds.field_index import Path

_NO_ENTITIES = entity_map({})
_PLAIN = frozenset({str, int, float, bool, type(None)})


class EntityStates(NamedTuple):
    """An entity that differs between two ledgers; None where it does not exist."""

    entity_type: str
    id: str
    before: Fields | None
    after: Fields | None


class Ledger:
    """Immutable. Successors share what did not change; all that is handed out is a copy or read-only."""

    __slots__ = ("_flags", "_hash", "_types")

    def __init__(self, types: dict[str, EntityMap], flags: frozenset[str]) -> None:
        """Take ownership of `types`: nobody else may hold it. Callers outside this module use `boot`."""
        self._types = types
        self._flags = flags
        self._hash: str | None = None

    @classmethod
    def boot(cls, initial_state: State, flags: Iterable[str] = ()) -> "Ledger":
        return cls(
            {name: entity_map(copy_json(found)) for name, found in initial_state.items()}, frozenset(flags)
        )

    @classmethod
    def adopt(cls, initial_state: Mapping[str, Mapping[str, Fields]]) -> "Ledger":
        """Boot from a state that nobody else holds; it is not copied."""
        return cls({name: entity_map(found) for name, found in initial_state.items()}, frozenset())

    @property
    def flags(self) -> frozenset[str]:
        return self._flags

    def entity_types(self) -> tuple[str, ...]:
        """Every type this world has had entities of, or was booted with, oldest first."""
        return tuple(self._types)

    def entity(self, entity_type: str, entity_id: str) -> Mapping[str, Any] | None:
        """The fields of one entity, read-only; `dict(…)` makes them the caller's own."""
        fields = self._types.get(entity_type, _NO_ENTITIES).get(entity_id)
        return None if fields is None else _FieldsView(fields)

    def look_at(self, entity_type: str, entity_id: str) -> Mapping[str, Any] | None:
        """The fields of one entity without a copy, for looking at: what they hold must not be changed."""
        return self._types.get(entity_type, _NO_ENTITIES).get(entity_id)

    def entities(self, entity_type: str) -> Mapping[str, Mapping[str, Any]]:
        """All entities of one type by id, oldest first, read-only; empty for a type nobody knows."""
        return _EntitiesView(self._types.get(entity_type, _NO_ENTITIES))

    def having(self, entity_type: str, path: Path, value: Any) -> list[str]:
        """The ids of the entities whose field at this path has this value, oldest first."""
        return self._types.get(entity_type, _NO_ENTITIES).having(path, value)

    def having_all(self, entity_type: str, wanted: Iterable[tuple[Path, Any]]) -> list[str]:
        """The ids of the entities that have every one of these values, oldest first; at least one is wanted."""
        return self._types.get(entity_type, _NO_ENTITIES).having_all(wanted)

    def vocabulary(self, entity_type: str, path: Path, *, at_most: int) -> list[Any]:
        """The different values at this path, sorted; none if there are more than that."""
        return self._types.get(entity_type, _NO_ENTITIES).vocabulary(path, at_most)

    def sample(self, entity_type: str) -> Sample:
        """The oldest entities, for looking at: what it holds must not be changed."""
        return self._types.get(entity_type, _NO_ENTITIES).sample()

    def oldest_first(self, entity_type: str, ids: Iterable[str]) -> list[str]:
        return self._types.get(entity_type, _NO_ENTITIES).oldest_first(ids)

    def newest_ids(self, entity_type: str, count: int) -> list[str]:
        return list(islice(reversed(self._types.get(entity_type, _NO_ENTITIES)), count))

    def to_state(self) -> dict[str, dict[str, Fields]]:
        return {name: copy_json(entities) for name, entities in self._types.items() if entities}

    def to_json(self) -> bytes:
        """The state as JSON text, without a copy of it on the way."""
        return msgspec.json.encode({name: dict(found) for name, found in self._types.items() if found})

    def hash(self) -> str:
        """Equal exactly when state and flags are equal. Costs what changed since a ledger that was hashed."""
        if self._hash is None:
            digests = {name: entities.digest().hex() for name, entities in self._types.items() if entities}
            self._hash = content_hash({"entities": digests, "flags": sorted(self._flags)})
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ledger):
            return NotImplemented
        return self._flags == other._flags and next(self.changes_to(other), None) is None

    __hash__ = None  # type: ignore[assignment]  # `hash()` is the content hash, a string

    def __repr__(self) -> str:
        counts = ", ".join(f"{name}: {len(entities)}" for name, entities in self._types.items())
        return f"Ledger({{{counts}}}, flags={sorted(self._flags)})"

    def with_entity(self, entity_type: str, entity_id: str, fields: Mapping[str, Any]) -> "Ledger":
        """This world with exactly these fields for one entity; a new id goes last, a known one stays put."""
        entities = self._types.get(entity_type, _NO_ENTITIES).with_entity(entity_id, copy_json(fields))
        return Ledger({**self._types, entity_type: entities}, self._flags)

    def without_entity(self, entity_type: str, entity_id: str) -> "Ledger":
        entities = self._types[entity_type].without_entity(entity_id)
        return Ledger({**self._types, entity_type: entities}, self._flags)

    def with_flag(self, flag: str) -> "Ledger":
        return Ledger(self._types, self._flags | {flag})

    def without_flag(self, flag: str) -> "Ledger":
        return Ledger(self._types, self._flags - {flag})

    def changes_to(self, other: "Ledger") -> Iterator[EntityStates]:
        """The entities that differ, by type and id. What both ledgers share is not walked."""
        for name in sorted(self._types.keys() | other._types.keys()):
            before, after = self._types.get(name, _NO_ENTITIES), other._types.get(name, _NO_ENTITIES)
            if before is after:
                continue
            for key in sorted(before.ids_that_may_differ(after)):
                old, new = before.get(key), after.get(key)
                if old is not new and not (old is not None and new is not None and json_equal(old, new)):
                    yield EntityStates(name, key, copy_json(old), copy_json(new))


class _EntitiesView(Mapping[str, Mapping[str, Any]]):
    __slots__ = ("_entities",)

    def __init__(self, entities: EntityMap) -> None:
        self._entities = entities

    def __getitem__(self, entity_id: str) -> Mapping[str, Any]:
        return _FieldsView(self._entities[entity_id])

    def __iter__(self) -> Iterator[str]:
        return iter(self._entities)

    def __len__(self) -> int:
        return len(self._entities)

    def __contains__(self, entity_id: object) -> bool:
        return entity_id in self._entities


class _FieldsView(Mapping[str, Any]):
    """A window on the fields: a value is copied when taken out, so a scan copies only what it looks at."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Fields) -> None:
        self._fields = fields

    def __getitem__(self, name: str) -> Any:
        value = self._fields[name]
        return value if type(value) in _PLAIN else copy_json(value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __repr__(self) -> str:
        return repr(self._fields)


def copy_json(value: Any) -> Any:
    """A deep copy made of plain dicts and lists."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is dict or isinstance(value, Mapping):
        return {key: item if type(item) in _PLAIN else copy_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [copy_json(item) for item in value]
    return value


def json_equal(left: Any, right: Any) -> bool:
    return canonical_json(left) == canonical_json(right)
