"""The operations a model may propose in answer to a call, as a JSON Schema: as narrow as what is declared.

It guides models that are held to a schema while they write. What they propose is checked all the same.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from odyssey.records.tools import EntityField, LedgerSchema
from odyssey.simulation.consistency.knowledge import TypeKnowledge, know_world
from odyssey.simulation.engine import ToolCall
from odyssey.worlds.ledger import Ledger

MOST_OPERATIONS = 50

_LONGEST_NAME = 255
_MOST_BYTES = 8_000
_NAME: dict[str, Any] = {"type": "string", "maxLength": _LONGEST_NAME}


def operations_schema(
    call: ToolCall, world: Ledger, types: Sequence[str], *, only_looks: bool
) -> dict[str, Any]:
    """Describe the list of operations; `types` are those the call may be about."""
    if only_looks:
        return {"type": "array", "items": exact_object({}), "maxItems": 0}
    forms = _forms(call, world, types)
    if len(msgspec.json.encode(forms)) > _MOST_BYTES:
        forms = _forms(call, world, ())
    return {"type": "array", "items": {"anyOf": forms}, "maxItems": MOST_OPERATIONS}


def exact_object(members: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def choice(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _forms(call: ToolCall, world: Ledger, types: Sequence[str]) -> list[dict[str, Any]]:
    schema = call.ledger_schema
    declared = [] if schema is None else [entity.type for entity in schema.entities]
    known = know_world(world, schema).types
    narrow = [name for name in types if name in declared]
    others = [name for name in declared if name not in narrow]
    forms = [_writing(choice(name), _fields(known[name])) for name in narrow]
    if schema is None or others:
        forms.append(_writing(choice(*others) if others else _NAME, {"type": "object"}))
    entity_type = choice(*declared) if declared else _NAME
    forms.append(exact_object({"op": choice("remove"), "entity_type": entity_type, "id": _NAME}))
    flag = _flag(schema)
    if flag is not None:
        forms.append(exact_object({"op": choice("set_flag", "clear_flag"), "flag": flag}))
    return forms


def _writing(entity_type: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    return exact_object(
        {"op": choice("add", "update"), "entity_type": entity_type, "id": _NAME, "fields": fields}
    )


def _fields(knowledge: TypeKnowledge) -> dict[str, Any]:
    """In a declared world a model is led to the fields that are declared or that entities have."""
    properties = {
        name: _field(knowledge.declaration(name), knowledge.anatomy.kinds.get((name,), frozenset()))
        for name in knowledge.anatomy.fields
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _field(declared: EntityField | None, kinds: frozenset[str]) -> dict[str, Any]:
    if declared is not None and declared.enum is not None:
        return {"enum": declared.enum}
    if declared is not None:
        return {"type": [declared.type, "null"]}
    return {"type": sorted(kinds | {"null"})} if kinds else {}


def _flag(schema: LedgerSchema | None) -> dict[str, Any] | None:
    policy = None if schema is None else schema.flags
    if policy is None or policy.policy == "open":
        return _NAME
    return choice(*policy.values) if policy.values else None
