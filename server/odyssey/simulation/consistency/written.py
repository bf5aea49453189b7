"""What operations may not do whatever the ledger schema says: change ids, point at nothing, change types."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from odyssey.records.ledger import Add, Operation, Update, Violation
from odyssey.simulation.consistency.knowledge import TypeKnowledge, WorldKnowledge
from odyssey.simulation.world.anatomy import json_kind
from odyssey.simulation.world.words import listed
from odyssey.worlds.ledger import Ledger, json_equal
from odyssey.worlds.schema import brief, id_text


def check_written(
    operations: Sequence[Operation],
    known: WorldKnowledge,
    before: Ledger,
    after: Ledger,
    sequence: int | None,
) -> list[Violation]:
    """What a ledger schema declares is checked where operations are applied; here, what the world itself shows."""
    found: list[Violation] = []
    for operation in operations:
        if not isinstance(operation, Add | Update):
            continue
        stood = before.entity(operation.entity_type, operation.id) or {}
        knowledge = known.types.get(operation.entity_type)
        if knowledge is not None:
            found += _check_id(operation, knowledge, sequence)
        for name, value in operation.fields.items():
            if value is None or (name in stood and json_equal(stood[name], value)):
                continue
            if knowledge is not None:
                found += _check_type(operation, name, value, stood, knowledge, sequence)
            found += _check_reference(operation, name, value, known, after, sequence)
    return found


def _check_id(operation: Add | Update, knowledge: TypeKnowledge, sequence: int | None) -> Iterator[Violation]:
    name = knowledge.anatomy.id_field
    if name is None or name not in operation.fields or knowledge.declared is not None:
        return
    value = operation.fields[name]
    if id_text(value) != operation.id:
        message = f"{name} is {brief(value)} but the id is {operation.id!r}; ids never change"
        yield Violation("id_mismatch", operation.entity_type, operation.id, name, message, sequence)


def _check_type(
    operation: Add | Update,
    name: str,
    value: Any,
    stood: Mapping[str, Any],
    knowledge: TypeKnowledge,
    sequence: int | None,
) -> Iterator[Violation]:
    if name == knowledge.anatomy.id_field or knowledge.declaration(name) is not None:
        return
    usual = knowledge.anatomy.kinds.get((name,), frozenset()) - {"null"}
    kind = json_kind(value)
    if not usual or kind in usual or kind == json_kind(stood.get(name)):
        return
    entity_type, entity_id = operation.entity_type, operation.id
    others = listed(sorted(usual), "or")
    message = f"{name} of {entity_type} {entity_id!r} becomes a value of type {kind}; others have {others}"
    yield Violation("type_drift", entity_type, entity_id, name, message, sequence)


def _check_reference(
    operation: Add | Update,
    name: str,
    value: Any,
    known: WorldKnowledge,
    after: Ledger,
    sequence: int | None,
) -> Iterator[Violation]:
    targets = known.pointed_at(operation.entity_type, name)
    if not targets:
        return
    for each in value if isinstance(value, list) else [value]:
        wanted = id_text(each)
        if wanted and not any(after.entity(target, wanted) is not None for target in targets):
            message = f"{name} is {brief(each)}, but no {listed(targets, 'or')} with this id exists"
            yield Violation(
                "dangling_reference", operation.entity_type, operation.id, name, message, sequence
            )
