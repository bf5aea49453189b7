from typing import Any

import pytest

from odyssey.records.ledger import Add, ClearFlag, Operation, Remove, SetFlag, Update
from odyssey.records.tools import EntityField, EntityType, FlagPolicy, LedgerSchema
from odyssey.worlds.schema import check_operations

SCHEMA = LedgerSchema(
    entities=[
        EntityType(
            type="order",
            id_field="order_id",
            fields=[
                EntityField("status", "string", enum=["open", "closed"]),
                EntityField("total", "number"),
                EntityField("count", "integer"),
                EntityField("paid", "boolean"),
                EntityField("items", "array"),
                EntityField("address", "object"),
                EntityField("note", "string"),
            ],
        )
    ],
    flags=FlagPolicy("closed", ["urgent"]),
)


@pytest.mark.parametrize(
    "operation",
    [
        Add("order", "o1", {"order_id": "o1", "status": "open", "total": 1.5, "count": 2, "paid": False}),
        Add("order", "42", {"order_id": 42, "items": [], "address": {}}),
        Update("order", "o1", {"count": 2.0, "total": 3, "note": None}),
        Update("order", "o1", {"undeclared": {"any": "thing"}}),
        Remove("order", "o1"),
        SetFlag("urgent"),
    ],
)
def test_what_is_declared_passes(operation: Operation) -> None:
    assert check_operations([operation], SCHEMA) == []


@pytest.mark.parametrize(
    ("operation", "kind", "field", "message"),
    [
        (
            Add("user", "u1"),
            "undeclared_type",
            None,
            "entity type 'user' is not declared in the ledger schema",
        ),
        (Remove("user", "u1"), "undeclared_type", None, "entity type 'user' is not declared"),
        (
            Update("order", "o1", {"status": "lost"}),
            "outside_enum",
            "status",
            "must be one of 'open', 'closed'; 'lost' is not",
        ),
        (Update("order", "o1", {"status": None}), "outside_enum", "status", "None is not"),
        (
            Update("order", "o1", {"count": 1.5}),
            "wrong_type",
            "count",
            "count must be an integer; 1.5 is not",
        ),
        (
            Update("order", "o1", {"count": True}),
            "wrong_type",
            "count",
            "count must be an integer; True is not",
        ),
        (Update("order", "o1", {"total": "1"}), "wrong_type", "total", "total must be a number; '1' is not"),
        (Update("order", "o1", {"paid": 1}), "wrong_type", "paid", "paid must be a boolean; 1 is not"),
        (Update("order", "o1", {"items": {}}), "wrong_type", "items", "items must be an array; {} is not"),
        (Update("order", "o1", {"address": []}), "wrong_type", "address", "address must be an object"),
        (Update("order", "o1", {"note": 1}), "wrong_type", "note", "note must be a string"),
        (
            Add("order", "o1", {"order_id": "o2"}),
            "id_mismatch",
            "order_id",
            "order_id is 'o2' but the id is 'o1'",
        ),
        (Add("order", "1", {"order_id": True}), "id_mismatch", "order_id", "order_id is True"),
        (SetFlag("other"), "undeclared_flag", None, "flag 'other' is not one of the closed set"),
        (ClearFlag("other"), "undeclared_flag", None, "flag 'other' is not one of the closed set"),
    ],
)
def test_what_contradicts_the_declarations_is_a_violation(
    operation: Any, kind: str, field: str | None, message: str
) -> None:
    (violation,) = check_operations([operation], SCHEMA, sequence=5)
    assert (violation.kind, violation.field, violation.sequence) == (kind, field, 5)
    assert message in violation.message
    assert violation.entity_id == getattr(operation, "id", None)


def test_an_open_ledger_takes_everything() -> None:
    assert check_operations([Add("user", "u1"), SetFlag("any")], None) == []
    assert check_operations([SetFlag("any")], LedgerSchema(entities=[], flags=FlagPolicy("open"))) == []
    assert check_operations([SetFlag("any")], LedgerSchema(entities=[])) == []


def test_violations_come_in_the_order_of_the_operations() -> None:
    found = check_operations([SetFlag("x"), Add("user", "u1"), Add("order", "o1", {"paid": 0})], SCHEMA)
    assert [violation.kind for violation in found] == ["undeclared_flag", "undeclared_type", "wrong_type"]
