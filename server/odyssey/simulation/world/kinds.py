"""What is known of one entity type: by declaration, and by looking at the entities that are there."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from odyssey.kit.caches import Same
from odyssey.kit.words import are_tail, id_noun, initials, same_name, same_noun, same_nouns, tokens
from odyssey.records.tools import EntityField, EntityType, LedgerSchema
from odyssey.worlds.entity_map import Sample
from odyssey.worlds.field_index import Path
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.schema import id_text

# What the entities of a type are made of, told from a few of them: fields, records inside them, and parts.
#
# An object inside an entity is a *record* when it has the same members everywhere (a place), and a
# *collection* of parts when its keys are ids (parts by number). A list of objects is a collection as well.

FieldPath = tuple[str, ...]

_DEPTH = 3
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:$|[T ])")
_ID_SAMPLE = 5  # a field that repeats the id does so in every entity; a few show it
_JSON_KINDS: dict[type, str] = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
_DECLARED_KINDS = {"integer": "number"}


class Collection(NamedTuple):
    """A field that holds parts: an object by their ids, or a list."""

    field: str
    by_key: bool
    members: tuple[str, ...]
    """The names of the fields of its parts."""
    kinds: Mapping[str, frozenset[str]]

    def holds(self, words: tuple[str, ...]) -> bool:
        """Whether its parts are called this: `parts` holds parts, and so does what has a `part_id` in each."""
        return same_nouns(words, tokens(self.field)) or any(
            same_nouns(words, id_noun(name) or ()) for name in self.members
        )

    def id_member(self, argument: str) -> str | None:
        """The field of its parts that an argument gives: `part_id`, or `part_ids` for several."""
        wanted = id_noun(argument)
        for name in self.members:
            noun = id_noun(name)
            if same_name(name, argument) or (wanted and noun and same_nouns(wanted, noun)):
                return name
        return "id" if wanted and "id" in self.members and same_nouns(wanted, tokens(self.field)) else None


@dataclass(frozen=True, eq=False)
class Anatomy:
    """Equal only to itself, so that what is found out by it can be kept by it."""

    fields: tuple[str, ...]
    """The declared ones, then those the oldest entities carry."""
    kinds: Mapping[FieldPath, frozenset[str]]
    """The JSON types found at each path through records."""
    collections: tuple[Collection, ...]
    id_field: str | None
    """The field that repeats the id: the declared one, or one that does so in every entity looked at."""
    dates: tuple[str, ...] = ()
    """The fields that hold a day or a moment."""

    @lru_cache(maxsize=1024)  # noqa: B019 - bounded, and an anatomy lives as long as its world does
    def path_of(self, argument: str, noun: str) -> FieldPath | None:
        """The field an argument is about: by name, by name in a record, without the type's noun, by initials."""
        for candidate in _spellings(argument, noun):
            found = self._field(candidate) or self._inner(candidate)
            if found is not None:
                return found
        return None

    def _field(self, words: tuple[str, ...]) -> FieldPath | None:
        joined = "_".join(words)
        for name in self.fields:
            if tokens(name) == words:
                return (name,)
        named = [name for name in self.fields if same_nouns(tokens(name), words)]
        short = [name for name in self.fields if len(joined) > 2 and initials(name) == joined]
        return next(((name,) for name in (*named, *short)), None)

    def _inner(self, words: tuple[str, ...]) -> FieldPath | None:
        for path in sorted(self.kinds, key=len):
            spelled = tuple(word for name in path for word in tokens(name))
            if len(path) > 1 and (tokens(path[-1]) == words or spelled == words):
                return path
        return None

    def has(self, path: FieldPath, kind: str) -> bool:
        return kind in self.kinds.get(path, ())

    def collection(self, field: str) -> Collection | None:
        return next((each for each in self.collections if each.field == field), None)

    def records(self) -> Iterator[str]:
        """The fields that hold one record."""
        yield from dict.fromkeys(path[0] for path in self.kinds if len(path) > 1)

    def members(self, record: str) -> tuple[str, ...]:
        return tuple(path[1] for path in self.kinds if len(path) == 2 and path[0] == record)


def dissect(sample: Sample, declared: EntityType | None) -> Anatomy:
    """What a sample shows; kept as long as both are the same objects."""
    return _dissect(sample, Same(declared))


# From one order, {"order_id": "o-1", "total": 20, "address": {"town": "Oslo"}, "lines": [{"sku": "A"}]} under the
# id o-1, follow: the fields order_id, total, address and lines; a record at address, so that ("address", "town") is a
# path of its own; the collection lines, whose parts have a sku; and order_id as the field that repeats the id.
@lru_cache(maxsize=512)
def _dissect(sample: Sample, same: Same) -> Anatomy:
    declared: EntityType | None = same.it
    kinds: dict[FieldPath, set[str]] = {}
    collections: dict[str, Collection] = {}
    for field in declared.fields if declared else ():
        kinds[(field.name,)] = {_DECLARED_KINDS.get(field.type, field.type)}
    columns: dict[str, list[Any]] = {}
    for fields in sample.entities.values():
        for name, value in fields.items():
            columns.setdefault(name, []).append(value)
    for name, values in columns.items():
        parts = _parts(values)
        if parts is not None:
            by_key = isinstance(values[0], dict)
            members = _columns(parts)
            shapes = {
                member: frozenset(json_kind(each) for each in found) for member, found in members.items()
            }
            collections[name] = Collection(name, by_key, tuple(members), shapes)
        _note(kinds, (name,), values, enter=parts is None)
    names = dict.fromkeys([*(path[0] for path in kinds if len(path) == 1), *columns])
    return Anatomy(
        tuple(names),
        {path: frozenset(found) for path, found in kinds.items()},
        tuple(collections.values()),
        _id_field(sample.entities, declared),
        tuple(name for name, values in columns.items() if _are_dates(values)),
    )


def _are_dates(values: list[Any]) -> bool:
    given = [value for value in values if value is not None]
    return bool(given) and all(isinstance(value, str) and _DATE.match(value) for value in given)


def _note(kinds: dict[FieldPath, set[str]], path: FieldPath, values: list[Any], *, enter: bool) -> None:
    kinds.setdefault(path, set()).update(json_kind(value) for value in values)
    if not enter or len(path) >= _DEPTH:
        return
    for name, inner in _columns(value for value in values if isinstance(value, dict)).items():
        _note(kinds, (*path, name), inner, enter=_parts(inner) is None)


def _parts(values: list[Any]) -> list[dict[str, Any]] | None:
    """The parts that all these values hold together, if what they hold is parts."""
    filled = [value for value in values if value]
    if filled and all(isinstance(value, list) for value in filled):
        items = [item for value in filled for item in value]
        return items if all(isinstance(item, dict) for item in items) else None
    objects = [value for value in filled if isinstance(value, dict)]
    parts = [part for value in objects for part in value.values()]
    if not parts or len(objects) < len(filled) or not all(isinstance(part, dict) for part in parts):
        return None
    return parts if _has_ids_for_keys(objects) else None


def _has_ids_for_keys(objects: list[dict[str, dict[str, Any]]]) -> bool:
    """Tell parts by id from a record: `{"p1": {…}, "p2": {…}}` from `{"home": {…}, "work": {…}}`."""
    # Keys are ids if a part repeats its own ({"gold": {"id": "gold"}}), if they have numbers in them ("p1"), or if
    # no two entities share one ({"red": {…}} here, {"blue": {…}} there). A record has the same keys everywhere.
    keys = [set(each) for each in objects]
    repeated = any(key in map(id_text, part.values()) for each in objects for key, part in each.items())
    numbered = all(any(letter.isdigit() for letter in key) for key in keys[0])
    return repeated or numbered or (len(keys) > 1 and not set.intersection(*keys))


def _columns(objects: Iterable[dict[str, Any]]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for each in objects:
        for name, value in each.items():
            found.setdefault(name, []).append(value)
    return found


def json_kind(value: Any) -> str:
    return _JSON_KINDS.get(type(value), "null")


def _id_field(entities: Mapping[str, Mapping[str, Any]], declared: EntityType | None) -> str | None:
    if declared is not None:
        return declared.id_field
    repeating: list[str] | None = None
    for entity_id, fields in list(entities.items())[:_ID_SAMPLE]:
        candidates = fields if repeating is None else repeating
        repeating = [name for name in candidates if id_text(fields.get(name)) == entity_id]
    ids_first = sorted(repeating or [], key=lambda name: tokens(name)[-1:] != ("id",))
    return ids_first[0] if ids_first else None


def _spellings(argument: str, noun: str) -> Iterator[tuple[str, ...]]:
    """The argument's words, then without "new" before them or the type's own noun."""
    # Of an order, `new_order_total` is tried as "new order total", as "order total" and as "total".
    words = tokens(argument)
    yield words
    nouns = tokens(noun)
    if len(words) > 1 and words[0] == "new":
        words = words[1:]
        yield words
    if len(words) > 1 and nouns and same_noun(words[0], nouns[-1]) and id_noun(argument) is None:
        yield words[1:]


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
        return _is_id_of(argument, self.id_field, self.name)

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
        return self._kinds[name] if name in self._kinds else know(name, self.world, self.schema)

    def all_kinds(self) -> list["Kind"]:
        return list(self._kinds.values())

    @cached_property
    def _kinds(self) -> dict[str, "Kind"]:
        """All types, each looked at once for a call."""
        names = known_types(self.world, self.schema)
        return {name: self if name == self.name else know(name, self.world, self.schema) for name in names}


@lru_cache(maxsize=4096)
def _is_id_of(argument: str, id_field: str | None, name: str) -> bool:
    noun = id_noun(argument)
    if id_field is not None and id_field != "id":
        own, given = tokens(id_field), tokens(argument)
        # `code` where courses have a `code`, and `courseCode` too.
        begins = given[: -len(own)]
        if given == own or (
            noun is None and given[-len(own) :] == own and same_nouns(begins, tokens(name)[-1:])
        ):
            return True
    return noun is not None and bool(noun) and are_tail(noun, tokens(name))


def known_types(world: Ledger, schema: LedgerSchema | None) -> tuple[str, ...]:
    declared = [entity.type for entity in schema.entities] if schema else []
    return tuple(dict.fromkeys([*world.entity_types(), *declared]))


def know(name: str, world: Ledger, schema: LedgerSchema | None) -> Kind:
    entities = schema.entities if schema else []
    return Kind(name, next((entity for entity in entities if entity.type == name), None), world, schema)
