import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from odyssey.records.canonical import canonical_json
from odyssey.records.ledger import Add, ClearFlag, Entry, Operation, Remove, SetFlag, Update
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import (
    OperationInvalidError,
    apply,
    difference,
    fold,
    operations_of,
    read_operation,
)

NAMES = st.sampled_from(["order", "user"])
IDS = st.sampled_from(["1", "2", "3"])
FLAGS = st.sampled_from(["urgent", "closed"])
SCALARS = st.none() | st.booleans() | st.sampled_from([0, 1, 2, 1.0, 0.5, 2**60, float(2**60), "", "a"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["x", "y"]), inner, max_size=2)
    ),
    max_leaves=4,
)
FIELDS = st.dictionaries(st.sampled_from(["status", "total"]), VALUES, max_size=2)
STATES = st.dictionaries(NAMES, st.dictionaries(IDS, FIELDS, max_size=3), max_size=2)
LEDGERS = st.builds(Ledger.boot, STATES, st.frozensets(FLAGS))
OPERATIONS: st.SearchStrategy[list[Operation]] = st.lists(
    st.builds(Add, NAMES, IDS, FIELDS)
    | st.builds(Update, NAMES, IDS, FIELDS)
    | st.builds(Remove, NAMES, IDS)
    | st.builds(SetFlag, FLAGS)
    | st.builds(ClearFlag, FLAGS),
    max_size=8,
)
MODES = st.sampled_from(["off", "warn", "strict"])

SHOP: dict[str, dict[str, dict[str, Any]]] = {
    "order": {"o1": {"status": "open", "items": [{"sku": "a"}]}, "o2": {"status": "closed"}}
}


def told(ledger: Ledger) -> bytes:
    """Everything a ledger says about its state, as bytes."""
    return canonical_json({"state": ledger.to_state(), "flags": sorted(ledger.flags)})


def found_out(ledger: Ledger) -> Any:
    """What a ledger answers by the things it keeps beside its entities."""
    return [
        ledger.hash(),
        {
            name: [
                ledger.vocabulary(name, ("status",), at_most=9),
                ledger.having(name, ("total",), 1),
                {key: dict(fields) for key, fields in ledger.sample(name).entities.items()},
            ]
            for name in ("order", "user")
        },
    ]


class TestReading:
    def test_reads_what_it_was_booted_with(self) -> None:
        ledger = Ledger.boot(SHOP, ["urgent"])
        assert ledger.entity("order", "o2") == {"status": "closed"}
        assert ledger.entity("order", "o9") is None
        assert ledger.entity("user", "o1") is None
        assert list(ledger.entities("order")) == ["o1", "o2"]
        assert ledger.entities("user") == {}
        assert ledger.entity_types() == ("order",)
        assert ledger.flags == {"urgent"}
        assert ledger.to_state() == SHOP

    def test_the_initial_state_stays_the_callers_own(self) -> None:
        state = copy.deepcopy(SHOP)
        ledger = Ledger.boot(state)
        state["order"]["o1"]["items"].append({"sku": "b"})
        assert ledger.to_state() == SHOP

    def test_nothing_handed_out_reaches_back_into_the_ledger(self) -> None:
        ledger = Ledger.boot(SHOP)
        hash_before = ledger.hash()
        entity = ledger.entity("order", "o1")
        assert entity is not None
        with pytest.raises(TypeError):
            entity["status"] = "stolen"  # type: ignore[index]
        with pytest.raises(TypeError):
            ledger.entities("order")["o3"] = {}  # type: ignore[index]
        entity["items"].append("stolen")
        ledger.entities("order")["o1"]["items"][0]["sku"] = "stolen"
        ledger.to_state()["order"]["o1"]["items"].clear()
        next(Ledger.boot({}).changes_to(ledger)).after["items"].clear()  # type: ignore[index]
        assert told(ledger) == told(Ledger.boot(SHOP))
        assert Ledger.boot(ledger.to_state()).hash() == hash_before

    def test_a_type_without_entities_is_known_but_no_state(self) -> None:
        emptied = apply(Ledger.boot({"order": {"o1": {}}}), [Remove("order", "o1")], "strict").ledger
        assert emptied.entity_types() == ("order",)
        assert emptied.to_state() == {}
        assert emptied.hash() == Ledger.boot({}).hash() == Ledger.boot({"order": {}}).hash()
        assert emptied == Ledger.boot({})

    @given(left=LEDGERS, right=LEDGERS)
    def test_hashes_are_equal_exactly_when_states_are(self, left: Ledger, right: Ledger) -> None:
        assert (left.hash() == right.hash()) == (told(left) == told(right)) == (left == right)

    @given(ledger=LEDGERS, left=OPERATIONS, right=OPERATIONS, hash_between=st.booleans())
    def test_hashes_tell_of_states_and_not_of_the_way_there(
        self, ledger: Ledger, left: list[Operation], right: list[Operation], hash_between: bool
    ) -> None:
        if hash_between:
            ledger.hash()
        one, other = apply(ledger, left, "off").ledger, apply(ledger, right, "off").ledger
        assert (one.hash() == other.hash()) == (told(one) == told(other)) == (one == other)
        assert one.hash() == Ledger.boot(one.to_state(), one.flags).hash()

    @given(state=STATES)
    def test_the_order_of_insertion_is_no_part_of_the_hash(self, state: Any) -> None:
        turned = {name: dict(reversed(entities.items())) for name, entities in reversed(state.items())}
        assert Ledger.boot(turned).hash() == Ledger.boot(state).hash()


class TestApplying:
    @given(ledger=LEDGERS, operations=OPERATIONS, mode=MODES)
    def test_a_fold_over_the_entries_is_the_applied_ledger(
        self, ledger: Ledger, operations: list[Operation], mode: Any
    ) -> None:
        applied = apply(ledger, operations, mode)
        folded = fold(ledger, applied.entries)
        assert folded.hash() == applied.ledger.hash()
        assert folded.entity_types() == applied.ledger.entity_types()
        assert all(
            list(folded.entities(name)) == list(applied.ledger.entities(name))
            for name in folded.entity_types()
        )

    @given(ledger=LEDGERS, steps=st.lists(OPERATIONS, max_size=4))
    def test_any_moment_is_a_fold_over_the_entries_up_to_it(
        self, ledger: Ledger, steps: list[list[Operation]]
    ) -> None:
        entries: list[Entry] = []
        snapshots = [(0, told(ledger))]
        world = ledger
        for operations in steps:
            applied = apply(world, operations, "warn")
            world = applied.ledger
            entries += applied.entries
            snapshots.append((len(entries), told(world)))
        for count, snapshot in snapshots:
            assert told(fold(ledger, entries[:count])) == snapshot

    @given(ledger=LEDGERS, operations=OPERATIONS, mode=MODES)
    def test_the_ledger_it_was_applied_to_stays_as_it_was(
        self, ledger: Ledger, operations: list[Operation], mode: Any
    ) -> None:
        before = told(ledger)
        fields_before = copy.deepcopy(operations)
        applied = apply(ledger, operations, mode)
        for entry in applied.entries:
            for fields in (entry.before, entry.after):
                (fields or {}).clear()
        assert told(ledger) == before
        assert operations == fields_before
        assert Ledger.boot(applied.ledger.to_state(), applied.ledger.flags).hash() == applied.ledger.hash()

    @given(ledger=LEDGERS, operations=OPERATIONS)
    def test_before_and_after_form_a_chain(self, ledger: Ledger, operations: list[Operation]) -> None:
        applied = apply(ledger, operations, "warn")
        stands: dict[tuple[Any, Any], Any] = {}
        for entry in applied.entries:
            if entry.flag is not None:
                continue
            key = (entry.entity_type, entry.id)
            assert entry.entity_type is not None
            assert entry.id is not None
            expected = stands[key] if key in stands else ledger.entity(entry.entity_type, entry.id)
            assert entry.before == expected
            stands[key] = entry.after
        for (entity_type, entity_id), after in stands.items():
            assert applied.ledger.entity(entity_type, entity_id) == after

    @given(ledger=LEDGERS, operations=OPERATIONS)
    def test_strict_applies_all_or_nothing(self, ledger: Ledger, operations: list[Operation]) -> None:
        strict, warned = (
            apply(ledger, operations, "strict", sequence=7),
            apply(ledger, operations, "warn", sequence=7),
        )
        assert strict.violations == warned.violations
        assert strict.refused == bool(warned.violations)
        assert not warned.refused
        if strict.refused:
            assert strict.ledger is ledger
            assert strict.entries == ()
            assert all(violation.sequence == 7 for violation in strict.violations)
        else:
            assert strict.ledger == warned.ledger

    @given(ledger=LEDGERS, operations=OPERATIONS)
    def test_off_does_what_warn_does_and_says_nothing(
        self, ledger: Ledger, operations: list[Operation]
    ) -> None:
        off, warned = apply(ledger, operations, "off"), apply(ledger, operations, "warn")
        assert off.violations == ()
        assert (off.ledger, off.entries) == (warned.ledger, warned.entries)

    def test_untouched_types_are_shared(self) -> None:
        ledger = Ledger.boot({"order": {"o1": {}}, "user": {"u1": {"name": "Ada"}}})
        after = apply(ledger, [Update("order", "o1", {"status": "open"})], "strict").ledger
        assert after._types["user"] is ledger._types["user"]
        assert after._types["order"] is not ledger._types["order"]

    def test_update_replaces_members_and_null_is_a_value(self) -> None:
        applied = apply(Ledger.boot(SHOP), [Update("order", "o1", {"items": None, "note": "x"})], "strict")
        assert applied.ledger.entity("order", "o1") == {"status": "open", "items": None, "note": "x"}

    @pytest.mark.parametrize(
        ("operation", "kind", "entity"),
        [
            (Add("order", "o2", {"note": "x"}), "add_existing", {"status": "closed", "note": "x"}),
            (Update("order", "o9", {"note": "x"}), "update_missing", {"note": "x"}),
            (Remove("order", "o9"), "remove_missing", None),
        ],
    )
    def test_what_contradicts_the_world_is_a_violation_and_an_upsert_or_nothing(
        self, operation: Add | Update | Remove, kind: str, entity: Any
    ) -> None:
        applied = apply(Ledger.boot(SHOP), [operation], "warn", sequence=3)
        (violation,) = applied.violations
        assert (violation.kind, violation.entity_type, violation.entity_id, violation.sequence) == (
            kind,
            "order",
            operation.id,
            3,
        )
        assert applied.ledger.entity("order", operation.id) == entity
        assert len(applied.entries) == (0 if entity is None else 1)

    def test_a_flag_set_twice_is_two_entries_and_one_flag(self) -> None:
        applied = apply(Ledger.boot({}), [SetFlag("a"), SetFlag("a"), ClearFlag("b")], "strict")
        assert [entry.op for entry in applied.entries] == ["set_flag", "set_flag", "clear_flag"]
        assert applied.ledger.flags == {"a"}


class TestForks:
    @given(ledger=LEDGERS, left=OPERATIONS, right=OPERATIONS, look_first=st.booleans())
    def test_forks_know_nothing_of_each_other(
        self, ledger: Ledger, left: list[Operation], right: list[Operation], look_first: bool
    ) -> None:
        """Also what a world finds out about itself (indexes, digests, samples) is no way from one to the other."""
        if look_first:
            found_out(ledger)
        before = told(ledger)
        one = other = ledger
        for place in range(max(len(left), len(right))):
            one = apply(one, left[place : place + 1], "off").ledger
            found_out(one)
            other = apply(other, right[place : place + 1], "off").ledger
        for fork, operations in ((one, left), (other, right)):
            alone = apply(Ledger.boot(ledger.to_state(), ledger.flags), operations, "off").ledger
            assert told(fork) == told(alone)
            assert found_out(fork) == found_out(alone)
        assert told(ledger) == before
        assert found_out(ledger) == found_out(Ledger.boot(ledger.to_state(), ledger.flags))


class TestDifference:
    @given(left=LEDGERS, right=LEDGERS)
    def test_its_operations_lead_from_the_one_to_the_other(self, left: Ledger, right: Ledger) -> None:
        applied = apply(left, operations_of(difference(left, right)), "strict")
        assert (applied.refused, applied.violations) == (False, ())
        assert applied.ledger == right
        assert applied.ledger.hash() == right.hash()

    @given(ledger=LEDGERS, operations=OPERATIONS)
    def test_its_operations_undo_as_well(self, ledger: Ledger, operations: list[Operation]) -> None:
        after = apply(ledger, operations, "off").ledger
        back = apply(after, operations_of(difference(after, ledger)), "strict")
        assert not back.refused
        assert told(back.ledger) == told(ledger)

    @given(left=LEDGERS, right=LEDGERS)
    def test_is_empty_exactly_when_the_ledgers_are_equal(self, left: Ledger, right: Ledger) -> None:
        found = difference(left, right)
        empty = not (found.changes or found.flags_set or found.flags_cleared)
        assert empty == (left.hash() == right.hash())

    @given(left=LEDGERS, right=LEDGERS)
    def test_is_sorted_and_names_only_what_differs(self, left: Ledger, right: Ledger) -> None:
        changes = difference(left, right).changes
        assert [(each.entity_type, each.id) for each in changes] == sorted(
            (each.entity_type, each.id) for each in changes
        )
        for change in changes:
            assert change.before == left.entity(change.entity_type, change.id)
            assert change.after == right.entity(change.entity_type, change.id)
            assert change.fields == sorted(change.fields)

    def test_tells_added_changed_and_removed_apart(self) -> None:
        before = Ledger.boot({"order": {"o1": {"a": 1, "b": True}, "o2": {"c": 1}}}, ["old"])
        after = Ledger.boot({"order": {"o1": {"a": 1.0, "b": 1, "d": None}, "o3": {"e": 1}}}, ["new"])
        found = difference(before, after)
        assert [(each.kind, each.id, each.fields) for each in found.changes] == [
            ("changed", "o1", ["b", "d"]),
            ("removed", "o2", ["c"]),
            ("added", "o3", ["e"]),
        ]
        assert (found.flags_set, found.flags_cleared) == (["new"], ["old"])


class TestReadOperation:
    def test_reads_every_operation(self) -> None:
        raw = {"op": "add", "entity_type": "order", "id": "o1", "fields": {"items": [1]}}
        operation = read_operation(raw)
        assert operation == Add("order", "o1", {"items": [1]})
        raw["fields"]["items"].append(2)  # type: ignore[index]
        assert operation == Add("order", "o1", {"items": [1]})
        assert read_operation({"op": "remove", "entity_type": "order", "id": "o1"}) == Remove("order", "o1")
        assert read_operation({"op": "set_flag", "flag": "urgent"}) == SetFlag("urgent")

    @pytest.mark.parametrize(
        ("raw", "message"),
        [
            (["add"], "an operation is an object"),
            ({"op": "upsert"}, "op: 'upsert' is not one of add, update, remove, set_flag, clear_flag"),
            ({}, "op: None is not one of"),
            ({"op": "add", "entity_type": "order", "id": 7}, "id: expected str, got int"),
            ({"op": "update", "entity_type": "order"}, "missing required field id"),
            ({"op": "set_flag", "flag": "a", "id": "x"}, "unknown field id"),
            (
                {"op": "add", "entity_type": "a", "id": "b", "fields": []},
                "fields: expected object, got array",
            ),
        ],
    )
    def test_says_what_is_wrong(self, raw: Any, message: str) -> None:
        with pytest.raises(OperationInvalidError) as caught:
            read_operation(raw)
        assert message in str(caught.value)
