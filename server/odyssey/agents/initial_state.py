"""The entities a world starts with, checked against what the agent declares."""

from typing import Any

from odyssey.records.faults import Faults, shown
from odyssey.records.problems import FaultList
from odyssey.records.tools import EntityType, LedgerSchema
from odyssey.worlds.schema import check_value, id_text

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
            faults.add(_shorten(problem.message), field.name)
    own_id = fields.get(entity.id_field, key)
    if id_text(own_id) != key:
        faults.add(
            f"{entity.id_field} is {shown(own_id)} but the entity stands under {shown(key)}; make them equal",
            entity.id_field,
        )


def _shorten(message: str) -> str:
    return message if len(message) <= _LONGEST_MESSAGE else message[: _LONGEST_MESSAGE - 1] + "…"
