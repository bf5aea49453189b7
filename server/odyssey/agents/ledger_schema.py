"""A ledger_schema as people write it, read into entity types with every fault named."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

from odyssey.kit.words import shorten
from odyssey.records.canonical import canonical_json
from odyssey.records.faults import Faults, one_of, shown
from odyssey.records.problems import FaultList, FieldError
from odyssey.records.tools import EntityField, EntityType, FlagPolicy, LedgerSchema
from odyssey.worlds.schema import check_value, id_text

FieldType = Literal["string", "number", "integer", "boolean", "object", "array"]

MAX_ENTITIES = 100
MAX_FIELDS = 100

_MAX_ENUM = 1000
_MAX_FLAGS = 1000
_LONGEST_NAME = 128
_LONGEST_DESCRIPTION = 10_000
_FIELD_TYPES: tuple[FieldType, ...] = get_args(FieldType)

Entry = Mapping[str, Any]


def read_ledger_schema(raw: Any) -> tuple[LedgerSchema | None, list[FieldError]]:
    """Read the schema; null is an open ledger.

    With faults the schema is what could be read, so that adapters are still checked against it.
    """
    if raw is None:
        return None, []
    faults = Faults("ledger_schema")
    if not isinstance(raw, dict):
        faults.add(f"ledger_schema must be an object with entities, or null, not {shown(raw)}")
        return None, faults.found
    faults.unknown_members(raw, ("entities", "flags"), "ledger_schema")
    entities = _read_entities(raw, faults)
    flags = _read_flags(raw.get("flags"), faults.at("flags"))
    return LedgerSchema(entities, flags), faults.found


def _read_entities(raw: Entry, faults: Faults) -> list[EntityType]:
    rows = raw.get("entities")
    if rows is None:
        faults.add("entities is missing: a list of entity types", "entities")
        return []
    place = faults.at("entities")
    read: list[EntityType] = []
    seen: dict[str, int] = {}
    for index, row in _rows(rows, MAX_ENTITIES, "entity types", place):
        entity = _read_entity(row, place.at(index))
        if entity.type and seen.setdefault(entity.type, index) != index:
            place.add(f"{entity.type!r} is already declared by entity {seen[entity.type]}", index, "type")
        read.append(entity)
    return read


def _rows(rows: Any, most: int, what: str, faults: Faults) -> list[tuple[int, Entry]]:
    """Keep the objects of a list, each with its index."""
    if not isinstance(rows, list):
        faults.add(f"must be a list of {what}, not {shown(rows)}")
        return []
    if len(rows) > most:
        faults.add(f"has {len(rows)} {what}; at most {most} are allowed")
        return []
    kept: list[tuple[int, Entry]] = []
    for index, row in enumerate(rows):
        if isinstance(row, dict):
            kept.append((index, row))
        else:
            faults.add(f"must be an object, not {shown(row)}", index)
    return kept


def _absent_is_empty(row: Entry, member: str) -> Any:
    return [] if row.get(member) is None else row[member]


def _read_entity(row: Entry, faults: Faults) -> EntityType:
    faults.unknown_members(row, ("type", "id_field", "description", "fields", "protected"), "an entity type")
    place = faults.at("fields")
    fields: list[EntityField] = []
    seen: dict[str, int] = {}
    for index, field_row in _rows(_absent_is_empty(row, "fields"), MAX_FIELDS, "fields", place):
        field = _read_field(field_row, place.at(index))
        if field.name and seen.setdefault(field.name, index) != index:
            place.add(f"{field.name!r} is already declared by field {seen[field.name]}", index, "name")
        fields.append(field)
    return EntityType(
        type=faults.text(row, "type", longest=_LONGEST_NAME, required=True) or "",
        id_field=faults.text(row, "id_field", longest=_LONGEST_NAME, required=True) or "",
        description=faults.text(row, "description", longest=_LONGEST_DESCRIPTION) or "",
        protected=_read_protected(row, faults),
        fields=fields,
    )


def _read_field(row: Entry, faults: Faults) -> EntityField:
    faults.unknown_members(row, ("name", "type", "enum", "description", "protected"), "a field")
    name = faults.text(row, "name", longest=_LONGEST_NAME, required=True) or ""
    kind = _read_type(row.get("type"), faults)
    return EntityField(
        name=name,
        type=kind or "string",
        enum=_read_enum(row.get("enum"), kind, faults.at("enum")),
        description=faults.text(row, "description", longest=_LONGEST_DESCRIPTION) or "",
        protected=_read_protected(row, faults),
    )


def _read_protected(row: Entry, faults: Faults) -> bool:
    given = row.get("protected")
    if given is not None and not isinstance(given, bool):
        faults.add(f"protected must be true or false, not {shown(given)}", "protected")
    return given is True


def _read_type(value: Any, faults: Faults) -> FieldType | None:
    for kind in _FIELD_TYPES:
        if value == kind:
            return kind
    if value is None:
        faults.add(f"type is missing: {one_of(_FIELD_TYPES)}", "type")
    else:
        hint = faults.hint(value, _FIELD_TYPES) if isinstance(value, str) else ""
        faults.add(f"type must be {one_of(_FIELD_TYPES)}, not {shown(value)}{hint}", "type")
    return None


def _read_enum(members: Any, kind: FieldType | None, faults: Faults) -> list[Any] | None:
    """Read the allowed values; null may be one of any type, for a field without a value."""
    if members is None:
        return None
    if not isinstance(members, list) or not members:
        faults.add("enum must be a list of at least one value")
        return None
    if len(members) > _MAX_ENUM:
        faults.add(f"has {len(members)} values; at most {_MAX_ENUM} are allowed")
        return None
    seen: set[bytes] = set()
    for index, member in enumerate(members):
        if isinstance(member, dict | list):
            faults.add(f"an enum holds strings, numbers, booleans and null, not {shown(member)}", index)
            continue
        if kind is not None and check_value(EntityField("it", kind), member) is not None:
            faults.add(f"{shown(member)} does not fit the field's type {kind!r}", index)
        text = canonical_json(member)
        if text in seen:
            faults.add(f"{shown(member)} is there twice", index)
        seen.add(text)
    return members


def _read_flags(raw: Any, faults: Faults) -> FlagPolicy | None:
    if raw is None:
        return None
    if not isinstance(raw, dict):
        faults.add(f"flags must be an object with policy, not {shown(raw)}")
        return None
    faults.unknown_members(raw, ("policy", "values"), "flags")
    policy, values = raw.get("policy"), raw.get("values")
    if policy is None:
        faults.add("policy is missing: 'open' or 'closed'", "policy")
    elif policy not in ("open", "closed"):
        faults.add(f"policy must be 'open' or 'closed', not {shown(policy)}", "policy")
    if policy == "closed" and values is None:
        faults.add("a closed policy needs values: the list of allowed flags", "values")
    read = (
        []
        if values is None
        else faults.at("values").texts(values, what="flags", most=_MAX_FLAGS, longest=500)
    )
    return FlagPolicy("closed" if policy == "closed" else "open", read)


# The entities a world starts with, checked against what the agent declares.

_LONGEST_MESSAGE = 300


def check_initial_state(state: Any, schema: LedgerSchema | None) -> FaultList:
    """Name what is wrong with `{entity_type: {entity_id: {field: value}}}`."""
    faults = Faults("initial_state")
    if not isinstance(state, dict):
        faults.add(f"initial_state must be an object of entity types, not {shown(state)}")
        return faults.found
    declared = None if schema is None else {entity.type: entity for entity in schema.entities}
    for name, entities in state.items():
        _check_type(name, entities, declared, faults.at(name[:128]))
    return faults.found


def _check_type(name: str, entities: Any, declared: dict[str, EntityType] | None, faults: Faults) -> None:
    if not name:
        faults.add("an entity type must not be empty")
    elif declared is not None and name not in declared:
        hint = faults.hint(name, declared)
        faults.add(f"entity type {shown(name)} is not declared in the ledger schema{hint}")
    if not isinstance(entities, dict):
        faults.add(f"must be an object of entity ids, not {shown(entities)}")
        return
    entity = None if declared is None else declared.get(name)
    for key, fields in entities.items():
        place = faults.at(key[:128])
        if not key:
            place.add("an entity id must not be empty")
        if not isinstance(fields, dict):
            place.add(f"an entity must be an object of its fields, not {shown(fields)}")
        elif entity is not None:
            _check_entity(key, fields, entity, place)


def _check_entity(key: str, fields: dict[str, Any], entity: EntityType, faults: Faults) -> None:
    for field in entity.fields:
        problem = check_value(field, fields[field.name]) if field.name in fields else None
        if problem is not None:
            faults.add(shorten(problem.message, _LONGEST_MESSAGE), field.name)
    own_id = fields.get(entity.id_field, key)
    if id_text(own_id) != key:
        faults.add(
            f"{entity.id_field} is {shown(own_id)} but the entity stands under {shown(key)}; make them equal",
            entity.id_field,
        )
