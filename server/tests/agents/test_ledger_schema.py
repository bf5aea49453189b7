"""Declared entity types, and the entities a world starts with."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.agents.ledger_schema import check_initial_state, read_ledger_schema
from odyssey.records.tools import EntityField, EntityType, FlagPolicy, LedgerSchema

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(-1e6, 1e6) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=15,
)

RAW = {
    "entities": [
        {
            "type": "order",
            "id_field": "order_id",
            "description": "A purchase.",
            "fields": [
                {"name": "status", "type": "string", "enum": ["open", "sent", None]},
                {"name": "total", "type": "number", "description": "In euros."},
                {"name": "lines", "type": "array"},
            ],
        },
        {"type": "customer", "id_field": "id"},
    ],
    "flags": {"policy": "closed", "values": ["refunded"]},
}
SCHEMA = LedgerSchema(
    [
        EntityType(
            "order",
            "order_id",
            "A purchase.",
            [
                EntityField("status", "string", ["open", "sent", None]),
                EntityField("total", "number", description="In euros."),
                EntityField("lines", "array"),
            ],
        ),
        EntityType("customer", "id"),
    ],
    FlagPolicy("closed", ["refunded"]),
)


def test_reads() -> None:
    assert read_ledger_schema(RAW) == (SCHEMA, [])


def test_null_is_an_open_ledger() -> None:
    assert read_ledger_schema(None) == (None, [])


def test_flags_may_be_open_or_absent() -> None:
    assert read_ledger_schema({"entities": [], "flags": {"policy": "open"}}) == (
        LedgerSchema([], FlagPolicy("open")),
        [],
    )
    assert read_ledger_schema({"entities": [], "flags": None}) == (LedgerSchema([]), [])


def test_types_and_fields_may_be_protected() -> None:
    raw = entity(protected=True, fields=[{"name": "total", "type": "number", "protected": True}])
    read, faults = read_ledger_schema(raw)
    assert faults == []
    assert read == LedgerSchema(
        [EntityType("order", "id", "", [EntityField("total", "number", protected=True)], protected=True)]
    )


def entity(**members: Any) -> dict[str, Any]:
    return {"entities": [{"type": "order", "id_field": "id", **members}]}


def field(**members: Any) -> dict[str, Any]:
    return entity(fields=[{"name": "status", "type": "string", **members}])


FIELD = ("entities", 0, "fields", 0)
FAULTY = [
    pytest.param([], (), "must be an object with entities", id="a list"),
    pytest.param({}, ("entities",), "entities is missing", id="no entities"),
    pytest.param({"entities": {}}, ("entities",), "must be a list", id="entities is an object"),
    pytest.param({"entities": [5]}, ("entities", 0), "must be an object, not 5", id="entity is a number"),
    pytest.param(
        {"entities": [{"type": "a", "id_field": "b"}] * 101}, ("entities",), "at most 100", id="101 types"
    ),
    pytest.param({"entities": [], "flag": {}}, ("flag",), "did you mean 'flags'", id="unknown member"),
    pytest.param(
        {"entities": [{"id_field": "id"}]}, ("entities", 0, "type"), "type is missing", id="no type"
    ),
    pytest.param(entity(type=""), ("entities", 0, "type"), "must not be empty", id="empty type"),
    pytest.param(entity(type="a\0"), ("entities", 0, "type"), "NUL", id="NUL in type"),
    pytest.param(
        {"entities": [{"type": "order"}]},
        ("entities", 0, "id_field"),
        "id_field is missing",
        id="no id_field",
    ),
    pytest.param(entity(description=5), ("entities", 0, "description"), "must be a string", id="description"),
    pytest.param(
        entity(protected="yes"),
        ("entities", 0, "protected"),
        "protected must be true or false, not 'yes'",
        id="protected is no boolean",
    ),
    pytest.param(entity(id="x"), ("entities", 0, "id"), "no member 'id'", id="unknown member of an entity"),
    pytest.param(entity(fields="x"), ("entities", 0, "fields"), "must be a list", id="fields is text"),
    pytest.param(entity(fields=False), ("entities", 0, "fields"), "must be a list", id="fields is false"),
    pytest.param(
        entity(fields=[{"name": "a", "type": "string"}] * 101),
        ("entities", 0, "fields"),
        "at most 100",
        id="101 fields",
    ),
    pytest.param(entity(fields=[7]), FIELD, "must be an object, not 7", id="field is a number"),
    pytest.param(field(name=None), (*FIELD, "name"), "name is missing", id="field without a name"),
    pytest.param(field(type=None), (*FIELD, "type"), "type is missing", id="field without a type"),
    pytest.param(
        field(type="int"), (*FIELD, "type"), "type must be 'string', 'number', 'integer'", id="unknown type"
    ),
    pytest.param(field(type="strings"), (*FIELD, "type"), "did you mean 'string'", id="misspelt type"),
    pytest.param(field(type=[]), (*FIELD, "type"), "not a list", id="type is a list"),
    pytest.param(
        field(default=1), (*FIELD, "default"), "no member 'default'", id="unknown member of a field"
    ),
    pytest.param(field(enum=[]), (*FIELD, "enum"), "at least one", id="empty enum"),
    pytest.param(field(enum="open"), (*FIELD, "enum"), "must be a list", id="enum is text"),
    pytest.param(
        field(enum=["a"] + [str(n) for n in range(1000)]), (*FIELD, "enum"), "at most 1000", id="long enum"
    ),
    pytest.param(field(enum=[{}]), (*FIELD, "enum", 0), "not an object", id="enum of objects"),
    pytest.param(
        field(enum=["a", 5]),
        (*FIELD, "enum", 1),
        "5 does not fit the field's type 'string'",
        id="enum of another type",
    ),
    pytest.param(
        field(type="number", enum=[True]), (*FIELD, "enum", 0), "true does not fit", id="boolean as a number"
    ),
    pytest.param(
        field(type="integer", enum=[1, 1.5]), (*FIELD, "enum", 1), "does not fit", id="fraction as an integer"
    ),
    pytest.param(
        field(type="number", enum=[1, 1.0]), (*FIELD, "enum", 1), "there twice", id="duplicate in enum"
    ),
    pytest.param({"entities": [], "flags": []}, ("flags",), "must be an object", id="flags is a list"),
    pytest.param({"entities": [], "flags": {}}, ("flags", "policy"), "policy is missing", id="no policy"),
    pytest.param(
        {"entities": [], "flags": {"policy": "shut"}}, ("flags", "policy"), "'open' or 'closed'", id="policy"
    ),
    pytest.param(
        {"entities": [], "flags": {"policy": "closed"}}, ("flags", "values"), "needs values", id="closed"
    ),
    pytest.param(
        {"entities": [], "flags": {"policy": "open", "values": "a"}},
        ("flags", "values"),
        "must be a list",
        id="values",
    ),
    pytest.param(
        {"entities": [], "flags": {"policy": "open", "values": ["a", "a"]}},
        ("flags", "values", 1),
        "there twice",
        id="twice",
    ),
    pytest.param(
        {"entities": [], "flags": {"policy": "open", "value": []}},
        ("flags", "value"),
        "did you mean 'values'",
        id="value",
    ),
]


@pytest.mark.parametrize(("raw", "place", "words"), FAULTY)
def test_names_the_fault(raw: Any, place: tuple[str | int, ...], words: str) -> None:
    _, faults = read_ledger_schema(raw)
    assert len(faults) == 1, faults
    assert faults[0].loc == ("ledger_schema", *place)
    assert words in faults[0].msg


def test_names_are_unique() -> None:
    twice = {"name": "a", "type": "string"}
    raw = {
        "entities": [{"type": "o", "id_field": "i", "fields": [twice, twice]}, {"type": "o", "id_field": "i"}]
    }
    _, faults = read_ledger_schema(raw)
    assert [fault.loc for fault in faults] == [
        ("ledger_schema", "entities", 0, "fields", 1, "name"),
        ("ledger_schema", "entities", 1, "type"),
    ]


def test_every_fault_in_one_pass() -> None:
    raw = {
        "entities": [{"type": 1}, 2, {"type": "a", "id_field": "b", "fields": [{}]}],
        "flags": {"policy": 3},
    }
    schema, faults = read_ledger_schema(raw)
    assert len(faults) == 6
    assert schema is not None
    assert schema.entities[1].type == "a"


def order(**fields: Any) -> dict[str, Any]:
    return {"order": {"A-1": fields}}


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"order": {}},
        order(),
        order(order_id="A-1", status="open", total=3, lines=[], anything={"else": 1}),
        order(status=None, total=None),
        {"customer": {"7": {"id": 7}}},
    ],
)
def test_accepts_state(state: Any) -> None:
    assert check_initial_state(state, SCHEMA) == []
    assert check_initial_state(state, None) == []


FAULTY_STATES = [
    pytest.param([], (), "must be an object of entity types", id="a list"),
    pytest.param({"orders": {}}, ("orders",), "did you mean 'order'", id="undeclared type"),
    pytest.param({"order": []}, ("order",), "must be an object of entity ids", id="type is a list"),
    pytest.param(
        {"order": {"A-1": 5}}, ("order", "A-1"), "must be an object of its fields", id="entity is a number"
    ),
    pytest.param({"order": {"": {}}}, ("order", ""), "id must not be empty", id="empty id"),
    pytest.param(
        order(status="lost"),
        ("order", "A-1", "status"),
        "must be one of 'open', 'sent'",
        id="outside the enum",
    ),
    pytest.param(order(total="3"), ("order", "A-1", "total"), "must be a number", id="wrong type"),
    pytest.param(order(total=True), ("order", "A-1", "total"), "must be a number", id="boolean as a number"),
    pytest.param(order(lines="x" * 1000), ("order", "A-1", "lines"), "must be an array", id="long value"),
    pytest.param(order(order_id="A-2"), ("order", "A-1", "order_id"), "make them equal", id="other id"),
    pytest.param(order(order_id=None), ("order", "A-1", "order_id"), "make them equal", id="null id"),
    pytest.param(
        {"customer": {"1": {"id": True}}}, ("customer", "1", "id"), "make them equal", id="boolean id"
    ),
]


@pytest.mark.parametrize(("state", "place", "words"), FAULTY_STATES)
def test_names_the_fault_of_a_state(state: Any, place: tuple[str, ...], words: str) -> None:
    faults = check_initial_state(state, SCHEMA)
    assert len(faults) == 1
    assert faults[0].loc == ("initial_state", *place)
    assert words in faults[0].msg
    assert len(faults[0].msg) <= 300


def test_shape_is_checked_without_a_schema() -> None:
    state = {"": {}, "order": [], "customer": {"": {}, "1": None}}
    assert [fault.loc[1:] for fault in check_initial_state(state, None)] == [
        ("",),
        ("order",),
        ("customer", ""),
        ("customer", "1"),
    ]


def test_a_hundred_faults_are_listed_and_all_are_counted() -> None:
    state = {"order": {str(number): {"total": "x"} for number in range(1000)}}
    found = check_initial_state(state, SCHEMA)
    assert (len(found), found.total) == (100, 1000)


NEAR_SCHEMAS = st.fixed_dictionaries(
    {},
    optional={
        "entities": JSON
        | st.lists(
            st.dictionaries(
                st.sampled_from(["type", "id_field", "fields", "description"]),
                JSON
                | st.lists(
                    st.dictionaries(
                        st.sampled_from(["name", "type", "enum"]), JSON | st.just("number"), max_size=3
                    )
                ),
                max_size=4,
            ),
            max_size=3,
        ),
        "flags": JSON
        | st.dictionaries(st.sampled_from(["policy", "values"]), JSON | st.just("closed"), max_size=2),
    },
)


@given(raw=JSON | NEAR_SCHEMAS, state=JSON)
def test_never_raises(raw: Any, state: Any) -> None:
    schema, _ = read_ledger_schema(raw)
    check_initial_state(state, schema)
    check_initial_state({"order": state}, SCHEMA)
    check_initial_state({"order": {"1": state}}, SCHEMA)
