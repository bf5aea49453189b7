"""Whose fault a failed check is: the world's only by nothing but its own faulty answers to what the row expects."""

from typing import Any

import pytest
from support.evidence import call, evidence, failed, result

from odyssey.grading.evidence import ObservedCall
from odyssey.records.effects import Effects, WorldStep, effects_of
from odyssey.records.ledger import Entry, Violation
from odyssey.worlds.ledger import Ledger

WORLD = Ledger.boot(
    {"order": {"o1": {"status": "open"}, "o2": {"status": "open"}}, "refund": {"r0": {"n": 1}}}
)
CANCELLED = {"ledger": {"$.order.o1.status": "cancelled"}}
REFUNDED = {"ledger": {"$.refund[?@.n == 2].n": 2}}
O1 = {"order_id": "o1"}


def forgotten(step: int, entity_type: str = "order", entity_id: str | None = "o1") -> ObservedCall:
    """A call whose write the world announced and forgot."""
    violation = Violation("forgotten_write", entity_type, entity_id, None, "It was forgotten.", step)
    return call(step, f"cancel_{entity_type}", O1, mutating=True, contradictions=(violation,))


def unanswered(step: int, arguments: Any) -> ObservedCall:
    error = {"error": {"code": "simulation_failed", "message": "No answer."}}
    return call(step, "cancel_order", arguments, mutating=True, source="error", response=error)


def wrote(step: int, entity_id: str) -> Effects:
    entry = Entry("update", "order", entity_id, before={"status": "open"}, after={"status": "x"})
    return effects_of([WorldStep(step, "set_order", "odyssey", True, entry)], frozenset())


@pytest.mark.parametrize(
    ("check", "calls"),
    [
        (CANCELLED, (forgotten(2),)),
        (CANCELLED, (unanswered(2, O1),)),
        (CANCELLED, (forgotten(2), forgotten(3))),
        (CANCELLED, (unanswered(2, O1 | {"count": 3}),)),
        (REFUNDED, (forgotten(2, "refund", None),)),
        ({"called": "cancel_order"}, (unanswered(2, O1),)),
        ({"order": ["cancel_order"]}, (unanswered(2, O1),)),
    ],
)
def test_it_is_the_worlds(check: Any, calls: Any) -> None:
    found = result(check, evidence(before=WORLD, after=WORLD, calls=calls))
    assert (found.state, found.world_at_fault) == ("failed", True)


OWN_ACT = call(3, "set_order", O1, mutating=True)


@pytest.mark.parametrize(
    ("why", "check", "calls", "effects"),
    [
        ("nothing was done", CANCELLED, (), Effects()),
        ("it was another order", CANCELLED, (unanswered(2, {"order_id": "o2"}),), Effects()),
        ("a look is no work", CANCELLED, (call(2, "get_order", O1, source="error"),), Effects()),
        ("it wrote there itself", CANCELLED, (forgotten(2), OWN_ACT), wrote(3, "o1")),
        ("the words are its own", CANCELLED, (unanswered(2, O1 | {"note": "talk nonsense"}),), Effects()),
        (
            "one path was left alone",
            {"ledger": {"$.order.o1.status": "cancelled", "$.order.o2.status": "cancelled"}},
            (forgotten(2),),
            Effects(),
        ),
        ("an entity that was there is no new one", REFUNDED, (forgotten(2, "refund", "r0"),), Effects()),
        (
            "one call was answered",
            {"called": "cancel_order"},
            (unanswered(2, O1), failed(3, "cancel_order")),
            Effects(),
        ),
        ("it is about another tool", {"called": "refund"}, (unanswered(2, O1),), Effects()),
        ("it was forbidden", {"not_called": "cancel_order"}, (unanswered(2, O1),), Effects()),
        ("it was never allowed", {"policy": {"never": "cancel_order"}}, (unanswered(2, O1),), Effects()),
        ("the words are missing", {"final_response": {"contains": "so"}}, (forgotten(2),), Effects()),
        ("no check expects the call", {"only_changed": []}, (forgotten(2),), wrote(2, "o2")),
    ],
)
def test_it_is_the_agents(why: str, check: Any, calls: Any, effects: Effects) -> None:
    found = result(check, evidence(before=WORLD, after=WORLD, calls=calls, effects=effects))
    assert (found.state, found.world_at_fault) == ("failed", False), why
