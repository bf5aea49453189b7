"""What adapters make of live answers, by hand-made answers and by any."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.records.ledger import Add, Entry, Operation, Remove, SetFlag, Update
from odyssey.records.tools import EntityField, EntityType, FlagPolicy, LedgerSchema
from odyssey.worlds.adapters import adapt, mirror
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import difference, fold

SCHEMA = LedgerSchema(
    entities=[
        EntityType(
            "order",
            "order_id",
            fields=[EntityField("status", "string", enum=["open", "closed"]), EntityField("place", "object")],
        )
    ]
)
ADAPTER: dict[str, Any] = {
    "op": "update",
    "entity_type": "order",
    "id_from": "$.order.id",
    "field_map": {"status": "$.order.state", "place": "$.order.ship_to"},
    "flags": ["seen:{id}", "by:{clerk}"],
}
ANSWER = {"order": {"id": "o1", "state": "open", "ship_to": {"town": "Leith"}}}


def changed(**members: Any) -> dict[str, Any]:
    return {**ADAPTER, **members}


def test_an_answer_becomes_operations() -> None:
    fields = {"order_id": "o1", "status": "open", "place": {"town": "Leith"}}
    assert adapt(ADAPTER, SCHEMA, {"clerk": "ada"}, ANSWER) == (
        (Update("order", "o1", fields), SetFlag("seen:o1"), SetFlag("by:ada")),
        (),
    )


@pytest.mark.parametrize(
    ("adapter", "first"),
    [
        (changed(op=None, field_map=None), Update("order", "o1", {"order_id": "o1"})),
        (
            changed(op="add", field_map={"status": "$..state"}),
            Add("order", "o1", {"order_id": "o1", "status": "open"}),
        ),
        (changed(op="remove"), Remove("order", "o1")),
    ],
)
def test_every_act_on_an_entity(adapter: dict[str, Any], first: Operation) -> None:
    assert adapt(adapter, SCHEMA, {"clerk": "ada"}, ANSWER)[0][0] == first


@pytest.mark.parametrize(
    ("given_id", "entity_id"), [(7, "7"), (7.0, "7"), (1.5, "1.5"), (True, "true"), ("ä b", "ä b")]
)
def test_scalars_are_ids(given_id: Any, entity_id: str) -> None:
    (operation,) = adapt(changed(flags=[], field_map={}), SCHEMA, {}, {"order": {"id": given_id}})[0]
    assert operation == Update("order", entity_id, {"order_id": entity_id})


@pytest.mark.parametrize(("kind", "kept"), [("integer", 7), ("number", 7), ("string", "7")])
def test_the_id_is_kept_as_its_field_is_declared(kind: Any, kept: Any) -> None:
    schema = LedgerSchema([EntityType("order", "number", fields=[EntityField("number", kind)])])
    (operation,) = adapt(changed(flags=[], field_map={}), schema, {}, {"order": {"id": 7}})[0]
    assert operation == Update("order", "7", {"number": kept})


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({}, "leads nowhere"),
        ("plain text", "leads nowhere"),
        ({"order": {"id": None}}, "None is no id"),
        ({"order": {"id": ""}}, "'' is no id"),
        ({"order": {"id": ["o1", "o2"]}}, "is no id"),
        ({"order": {"id": {"value": "o1"}}}, "is no id"),
    ],
)
def test_without_an_id_nothing_happens(answer: Any, why: str) -> None:
    operations, (note,) = adapt(ADAPTER, SCHEMA, {"clerk": "ada"}, answer)
    assert operations == ()
    assert note.member == "id_from"
    assert why in note.message
    assert "nothing was written" in note.message


def test_an_unmatched_field_is_skipped() -> None:
    adapter = changed(flags=[], field_map={"status": "$.order.nothing", "place": "$.order.ship_to"})
    operations, (note,) = adapt(adapter, SCHEMA, {}, ANSWER)
    assert operations == (Update("order", "o1", {"order_id": "o1", "place": {"town": "Leith"}}),)
    assert (note.member, note.field) == ("field_map", "status")


def test_null_is_a_value() -> None:
    adapter = changed(flags=[], field_map={"note": "$.note"})
    assert adapt(adapter, SCHEMA, {}, ANSWER | {"note": None})[0] == (
        Update("order", "o1", {"order_id": "o1", "note": None}),
    )


def test_an_id_field_never_says_another_id() -> None:
    adapter = changed(flags=[], field_map={"order_id": "$.order.state"})
    operations, (note,) = adapt(adapter, SCHEMA, {}, ANSWER)
    assert operations == (Update("order", "o1", {"order_id": "o1"}),)
    assert "ids never change" in note.message
    same = changed(flags=[], field_map={"order_id": "$.order.id"})
    assert adapt(same, SCHEMA, {}, ANSWER) == ((Update("order", "o1", {"order_id": "o1"}),), ())


def test_what_does_not_fit_the_schema_is_written_and_noted() -> None:
    adapter = changed(flags=[], field_map={"status": "$.order.ship_to.town"})
    operations, (note,) = adapt(adapter, SCHEMA, {}, ANSWER)
    assert operations == (Update("order", "o1", {"order_id": "o1", "status": "Leith"}),)
    assert note.message.startswith("written as it is live, but status must be one of")


def test_an_unresolved_placeholder_drops_its_flag_alone() -> None:
    operations, (note,) = adapt(changed(field_map={}), SCHEMA, {"clerk": None}, ANSWER)
    assert operations == (Update("order", "o1", {"order_id": "o1"}), SetFlag("seen:o1"))
    assert "{clerk}" in note.message


@pytest.mark.parametrize(
    "template", ["{clerk.name}", "{clerk!r}", "{clerk:>9}", "{ids[0]}", "{{clerk}}", "{clerk"]
)
def test_a_template_from_before_with_more_than_names_is_left_out(template: str) -> None:
    adapter = {"op": "set_flag", "flags": [f"by:{template}", "by:{clerk}"]}
    known = {"clerk": "ada", "clerk.name": "x", "clerk!r": "x", "clerk:>9": "x", "ids[0]": "x"}
    operations, (note,) = adapt(adapter, SCHEMA, known, ANSWER)
    assert operations == (SetFlag("by:ada"),)
    assert f"by:{template}" in note.message


def test_set_flag_takes_the_request_alone() -> None:
    adapter = {"op": "set_flag", "flags": ["seen:{id}", "n:{count}", "on:{on}", "sure"]}
    answer = adapt(adapter, SCHEMA, {"id": "x", "count": 3, "on": True}, "any text")
    flags = ("seen:x", "n:3", "on:true", "sure")
    assert answer == (tuple(SetFlag(flag) for flag in flags), ())


def test_the_entity_gives_the_id_of_a_flag() -> None:
    operations = adapt(changed(field_map={}, flags=["{id}"]), SCHEMA, {"id": "argument"}, ANSWER)[0]
    assert operations[1:] == (SetFlag("o1"),)


def test_a_closed_set_of_flags_stays_closed() -> None:
    closed = LedgerSchema(SCHEMA.entities, FlagPolicy("closed", ["seen:o1"]))
    operations, (note,) = adapt(changed(field_map={}), closed, {"clerk": "ada"}, ANSWER)
    assert operations[1:] == (SetFlag("seen:o1"),)
    assert "by:ada" in note.message


@pytest.mark.parametrize(
    "adapter",
    [
        {},
        {"op": []},
        {"entity_type": 5, "id_from": ["$"]},
        {"id_from": "$["},
        {"op": "set_flag", "flags": 7},
        changed(field_map={"status": 7}),
        changed(field_map=[1]),
        changed(flags=[{}]),
    ],
)
def test_a_declaration_nobody_checked_becomes_notes(adapter: Any) -> None:
    assert adapt(adapter, None, {}, ANSWER)[1]


class TestPolicies:
    WORLD = Ledger.boot({"order": {"o1": {"order_id": "o1", "status": "closed", "total": 5}}})

    def test_adapter_upserts_whatever_was_declared(self) -> None:
        for op in ("add", "update"):
            there = mirror(self.WORLD, "adapter", changed(op=op), SCHEMA, {"clerk": "ada"}, ANSWER)
            assert there.ledger.entity("order", "o1") == {
                "order_id": "o1",
                "status": "open",
                "total": 5,
                "place": {"town": "Leith"},
            }
            new = mirror(Ledger.boot({}), "adapter", changed(op=op), SCHEMA, {"clerk": "ada"}, ANSWER)
            assert new.ledger.entity("order", "o1") == {
                "order_id": "o1",
                "status": "open",
                "place": {"town": "Leith"},
            }
            assert [entry.op for entry in new.entries] == [op, "set_flag", "set_flag"]

    def test_removing_what_is_not_there_does_nothing(self) -> None:
        done = mirror(Ledger.boot({}), "adapter", changed(op="remove", flags=None), SCHEMA, {}, ANSWER)
        assert (done.entries, done.notes) == ((), ())

    @pytest.mark.parametrize("policy", ["record_only", None])
    def test_record_only_leaves_an_entry_without_operations(self, policy: Any) -> None:
        done = mirror(self.WORLD, policy, None, SCHEMA, {}, ANSWER)
        assert (done.ledger, done.operations, done.entries) == (self.WORLD, (), (Entry(op="record"),))
        assert fold(self.WORLD, done.entries) == self.WORLD

    def test_none_leaves_nothing(self) -> None:
        assert mirror(self.WORLD, "none", None, SCHEMA, {}, ANSWER)[1:] == ((), (), ())


SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=4)
NAMES = st.sampled_from(["id", "status", "items", "order", "clerk", "x"])
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
PATHS = st.sampled_from(["$", "$.id", "$..id", "$.order.id", "$.items[*].id", "$.*", "$.status", "$[?@.x]"])
ADAPTERS = st.fixed_dictionaries(
    {
        "op": st.sampled_from(["add", "update", "remove", "set_flag", None]),
        "entity_type": st.just("order"),
        "id_from": PATHS,
    },
    optional={
        "field_map": st.dictionaries(st.sampled_from(["order_id", "status", "place"]), PATHS, max_size=3),
        "flags": st.lists(st.sampled_from(["plain", "{id}", "{clerk}:{id}", "{x}"]), max_size=3),
    },
)
ARGUMENTS = st.dictionaries(NAMES, JSON, max_size=3)
WORLDS = st.builds(
    lambda ids: Ledger.boot({"order": {each: {"order_id": each, "status": "open"} for each in ids}}),
    st.sets(st.sampled_from(["1", "2", "true", "a"])),
)


class TestAnyAnswer:
    @given(adapter=ADAPTERS | JSON, arguments=ARGUMENTS, response=JSON)
    def test_never_raises(self, adapter: Any, arguments: dict[str, Any], response: Any) -> None:
        given_adapter = adapter if isinstance(adapter, dict) else {"id_from": adapter}
        assert isinstance(adapt(given_adapter, SCHEMA, arguments, response), tuple)

    @given(world=WORLDS, adapter=ADAPTERS, arguments=ARGUMENTS, response=JSON)
    def test_the_same_answer_twice_changes_nothing_more(
        self, world: Ledger, adapter: Any, arguments: dict[str, Any], response: Any
    ) -> None:
        once = mirror(world, "adapter", adapter, SCHEMA, arguments, response)
        twice = mirror(once.ledger, "adapter", adapter, SCHEMA, arguments, response)
        assert (twice.operations, twice.notes) == (once.operations, once.notes)
        assert twice.ledger == once.ledger
        assert twice.ledger.hash() == once.ledger.hash()

    @given(world=WORLDS, adapter=ADAPTERS, arguments=ARGUMENTS, response=JSON)
    def test_the_difference_is_what_the_operations_say(
        self, world: Ledger, adapter: Any, arguments: dict[str, Any], response: Any
    ) -> None:
        done = mirror(world, "adapter", adapter, SCHEMA, arguments, response)
        found = difference(world, done.ledger)
        flags = {each.flag for each in done.operations if isinstance(each, SetFlag)}
        assert set(found.flags_set) == flags - world.flags
        assert found.flags_cleared == []
        touched = {each.id: each for each in done.operations if isinstance(each, Add | Update | Remove)}
        assert {change.id for change in found.changes} <= set(touched)
        for entity_id, operation in touched.items():
            held = done.ledger.entity("order", entity_id)
            if isinstance(operation, Remove):
                assert held is None
            else:
                assert held == {**(world.entity("order", entity_id) or {}), **operation.fields}
        assert fold(world, done.entries) == done.ledger
