"""What a ledger schema says about operations: an undeclared type is wrong, an undeclared field is not."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from odyssey.kit.words import shorten
from odyssey.records.ledger import (
    Add,
    ClearFlag,
    ConsistencyMode,
    Operation,
    Remove,
    SetFlag,
    Update,
    Violation,
)
from odyssey.records.tools import EntityField, EntityType, LedgerSchema
from odyssey.worlds.ledger import Ledger, json_equal
from odyssey.worlds.operations import ApplyResult, apply

_LONGEST_SHOWN = 80
_MOST_CHOICES = 10


class ValueProblem(NamedTuple):
    kind: str
    message: str


def apply_declared(
    ledger: Ledger,
    operations: Sequence[Operation],
    mode: ConsistencyMode,
    ledger_schema: LedgerSchema | None,
    *,
    sequence: int | None = None,
) -> ApplyResult:
    """Apply what was proposed; contradictions to the declarations count like contradictions to the world."""
    applied = apply(ledger, operations, mode, sequence=sequence)
    declared = check_operations(operations, ledger_schema, sequence) if mode != "off" else []
    if not declared:
        return applied
    violations = (*declared, *applied.violations)
    if mode == "strict":
        return ApplyResult(ledger, (), violations, refused=True)
    return applied._replace(violations=violations)


def check_operations(
    operations: Sequence[Operation], ledger_schema: LedgerSchema | None, sequence: int | None = None
) -> list[Violation]:
    """Every contradiction to the declarations, in the order of the operations; none for an open ledger."""
    if ledger_schema is None or not operations:
        return []
    declared = {entity.type: entity for entity in ledger_schema.entities}
    found: list[Violation] = []
    for operation in operations:
        if isinstance(operation, SetFlag | ClearFlag):
            found += _check_flag(operation.flag, ledger_schema, sequence)
        elif operation.entity_type not in declared:
            message = f"entity type {operation.entity_type!r} is not declared in the ledger schema"
            found.append(
                Violation("undeclared_type", operation.entity_type, operation.id, None, message, sequence)
            )
        elif not isinstance(operation, Remove):
            found += _check_fields(operation, declared[operation.entity_type], sequence)
    return found


def check_value(field: EntityField, value: Any) -> ValueProblem | None:
    """Null means "no value" and fits every type, because a schema cannot say it; an `enum` must name it."""
    if field.enum is not None and not any(json_equal(value, member) for member in field.enum):
        choices = ", ".join(brief(member) for member in field.enum[:_MOST_CHOICES])
        more = ", …" if len(field.enum) > _MOST_CHOICES else ""
        return ValueProblem(
            "outside_enum", f"{field.name} must be one of {choices}{more}; {brief(value)} is not"
        )
    if value is not None and not _has_type(value, field.type):
        article = "an" if field.type[0] in "aio" else "a"
        return ValueProblem(
            "wrong_type", f"{field.name} must be {article} {field.type}; {brief(value)} is not"
        )
    return None


def id_text(value: Any) -> str | None:
    """How a field's value reads as an entity id: strings as they are, integers in decimal, nothing else."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return None


def brief(value: Any) -> str:
    """Show a value in a message, without repeating a page of it."""
    return shorten(repr(value), _LONGEST_SHOWN)


def _check_flag(flag: str, schema: LedgerSchema, sequence: int | None) -> list[Violation]:
    policy = schema.flags
    if policy is None or policy.policy == "open" or flag in policy.values:
        return []
    message = f"flag {flag!r} is not one of the closed set of the ledger schema"
    return [Violation("undeclared_flag", None, None, None, message, sequence)]


def _check_fields(operation: Add | Update, entity: EntityType, sequence: int | None) -> list[Violation]:
    found = []
    declared = {field.name: field for field in entity.fields}
    for name, value in operation.fields.items():
        problem = check_value(declared[name], value) if name in declared else None
        if problem is None and name == entity.id_field and id_text(value) != operation.id:
            problem = ValueProblem("id_mismatch", f"{name} is {brief(value)} but the id is {operation.id!r}")
        if problem is not None:
            found.append(Violation(problem.kind, entity.type, operation.id, name, problem.message, sequence))
    return found


def _has_type(value: Any, declared: str) -> bool:
    match declared:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "integer":
            return _is_number(value) and (isinstance(value, int) or value.is_integer())
        case _:
            return _is_number(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
