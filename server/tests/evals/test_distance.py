"""Laws of the distance between behaviours, and the readings behind it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.behaviours import JSON, OBJECTS, TEXTS
from support.evidence import call, evidence

from odyssey.evals.behaviour import Behaviour, BehaviourCall, EffectKind, NetEffect
from odyssey.evals.distance import distance, distance_matrix, explain
from odyssey.evals.read_behaviour import behaviour_of, protected_by
from odyssey.evals.values import value_distance
from odyssey.records.effects import WorldStep, effects_of
from odyssey.records.ledger import Add, Update
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

KINDS: list[EffectKind] = ["added", "changed", "removed", "called"]
EFFECTS = st.builds(
    NetEffect,
    st.sampled_from(KINDS),
    st.sampled_from(["create", "delete"]),
    st.sampled_from(["order", "customer"]),
    st.sampled_from(["1", "2"]),
    st.none() | OBJECTS,
    OBJECTS,
    has_new_id=st.booleans(),
    protected=st.sampled_from([(), ("*",)]),
)
CALLS = st.builds(
    BehaviourCall,
    st.sampled_from(["look", "cancel"]),
    OBJECTS,
    st.sampled_from(["read", "act", "unknown"]),
    st.booleans(),
)
BEHAVIOURS = st.builds(
    Behaviour,
    st.none() | OBJECTS,
    st.lists(CALLS, max_size=4).map(tuple),
    st.none(),
    TEXTS,
    st.none(),
    st.lists(EFFECTS, max_size=4).map(tuple),
)
REMOVAL = NetEffect("removed", "delete_customer", "customer", "ada")


@settings(max_examples=80)
@given(BEHAVIOURS, BEHAVIOURS)
def test_a_distance_is_symmetric_between_zero_and_one_and_explained(
    left: Behaviour, right: Behaviour
) -> None:
    found = distance(left, right)
    assert 0 <= found <= 1
    assert found == pytest.approx(distance(right, left))
    explained = explain(left, right)
    assert explained.distance == pytest.approx(found)
    assert sum(part.contribution for part in explained.parts) == pytest.approx(found)
    assert all(part.first_difference is not None for part in explained.parts if part.distance > 0)


@given(BEHAVIOURS)
def test_a_behaviour_is_at_no_distance_from_itself(behaviour: Behaviour) -> None:
    assert distance(behaviour, behaviour) == 0
    assert explain(behaviour, behaviour).moved is None


@given(JSON, JSON)
def test_values_have_a_symmetric_distance(left: Any, right: Any) -> None:
    assert value_distance(left, left) == 0
    assert 0 <= value_distance(left, right) <= 1
    assert value_distance(left, right) == pytest.approx(value_distance(right, left))


@given(st.lists(EFFECTS, max_size=6).map(tuple))
def test_one_removal_is_not_diluted_by_other_acts(others: tuple[NetEffect, ...]) -> None:
    assert distance(Behaviour(effects=others), Behaviour(effects=(*others, REMOVAL))) >= 0.95


@given(BEHAVIOURS, st.randoms())
def test_the_order_of_reads_and_effects_counts_nothing(behaviour: Behaviour, chance: Any) -> None:
    calls, effects = list(behaviour.calls), list(behaviour.effects)
    chance.shuffle(calls)
    chance.shuffle(effects)
    shuffled = Behaviour(behaviour.structured, tuple(calls), None, behaviour.text, effects=tuple(effects))
    assert distance(behaviour, shuffled) == 0


def test_a_matrix_holds_the_distances_of_all_pairs() -> None:
    behaviours = [Behaviour(), Behaviour(effects=(REMOVAL,)), Behaviour(failure="timeout")]
    assert distance_matrix(behaviours).tolist() == [
        [distance(one, other) for other in behaviours] for one in behaviours
    ]


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        (50, 52, 0.1 + 0.9 * 2 / 52),
        (50, 500, 0.91),
        (50, -50, 1),
        ([1, 2, 3], [3, 1, 2], 0),
        ({"to": "ada", "amount": 50}, {"to": "bob", "amount": 50}, 1),
        ({"status": "done"}, {"status": "Done."}, 0),
        ({"status": "done"}, {"status": "done", "note": None}, 0),
        (True, 1, 1),
    ],
)
def test_the_distance_of_two_values(left: Any, right: Any, wanted: float) -> None:
    assert value_distance(left, right) == pytest.approx(wanted)


# Reading a run: what the world made up does not count, what the agent asked for does.

WORLD = Ledger.boot({"order": {"ord_1": {"status": "open", "total": 9000}}, "visit": {}})


def run(*operations: tuple[str, dict[str, Any], Any]) -> Behaviour:
    world, steps, calls = WORLD, [], []
    for step, (tool, arguments, operation) in enumerate(operations, start=1):
        applied = apply(world, [operation], "off")
        world = applied.ledger
        steps += [WorldStep(step, tool, "odyssey", True, entry) for entry in applied.entries]
        calls.append(call(step, tool, arguments, mutating=True, operation="update"))
    seen = evidence(calls=tuple(calls), before=WORLD, after=world, effects=effects_of(steps, frozenset()))
    found = behaviour_of(seen, protected_by(["order.total"], None))
    assert found is not None
    return found


def visit(visit_id: str, starts_at: str, created_at: str) -> Behaviour:
    fields = {"starts_at": starts_at, "created_at": created_at}
    return run(("book_visit", {"starts_at": starts_at}, Add("visit", visit_id, fields)))


def test_ids_and_times_of_the_world_do_not_count_and_an_hour_that_was_asked_for_does() -> None:
    first = visit("visit_17", "2026-03-02T10:00:00Z", "2026-01-01T08:00:00Z")
    assert distance(first, visit("visit_99", "2026-03-02T10:00:00Z", "2026-01-05T09:30:00Z")) == 0
    assert distance(
        first, visit("visit_17", "2026-03-02T22:00:00Z", "2026-01-01T08:00:00Z")
    ) == pytest.approx(0.7)


@given(OBJECTS)
def test_members_of_any_shape_are_read(fields: dict[str, Any]) -> None:
    """Lists and objects too, whatever the agent gave and the world added."""
    added = run(
        ("add_visit", fields, Add("visit", "visit_17", {**fields, "tags": ["new"], "by": {"ref": []}}))
    )
    changed = run(("update_order", {"id": "ord_1"}, Update("order", "ord_1", fields)))
    for behaviour in (added, changed):
        assert distance(behaviour, behaviour) == 0
    assert added.effects[0].after == {**fields, "tags": ["new"], "by": {"ref": []}}


def test_a_time_of_the_world_on_a_changed_entity_does_not_count() -> None:
    def cancel(at: str) -> Behaviour:
        fields = {"status": "cancelled", "updated_at": at}
        return run(("update_order", {"id": "ord_1", "status": "cancelled"}, Update("order", "ord_1", fields)))

    assert distance(cancel("2026-01-01T08:00:00Z"), cancel("2026-01-01T08:00:07Z")) == 0


def test_of_a_changed_number_the_change_is_compared_and_a_protected_one_weighs_more() -> None:
    def deduct(amount: int) -> Behaviour:
        return run(("deduct", {"amount": amount}, Update("order", "ord_1", {"total": 9000 - amount})))

    assert distance(deduct(50), deduct(500)) == pytest.approx(0.9 * 0.91)
    assert deduct(50).effects[0].protected == ("total",)


def test_what_was_done_and_undone_is_an_attempt() -> None:
    there = ("update_order", {"id": "ord_1"}, Update("order", "ord_1", {"status": "lost"}))
    back = ("update_order", {"id": "ord_1"}, Update("order", "ord_1", {"status": "open"}))
    undone = run(there, back)
    assert undone.effects == ()
    assert [each.in_vain for each in undone.calls] == [True, True]
    assert distance(run(), undone) == pytest.approx(0.4)
