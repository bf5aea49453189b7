"""Checks of what a run did at any moment: what may change, and what nothing may touch."""

from typing import Any

import pytest
from support.evidence import call, evidence, result

from odyssey.grading.checks import read_checks
from odyssey.grading.evidence import Evidence
from odyssey.records.effects import WorldStep, effects_of
from odyssey.records.ledger import Add, ClearFlag, Operation, Remove, SetFlag, Update
from odyssey.worlds.ledger import Ledger
from odyssey.worlds.operations import apply

WORLD = Ledger.boot(
    {
        "order": {
            "o1": {"status": "open", "total": 5, "lines": [{"sku": "a", "n": 1}, {"sku": "b", "n": 2}]},
            "o2": {"status": "open", "total": 7, "lines": []},
        },
        "customer": {"c1": {"email": "ada@example.com", "address": {"city": "Bern"}}},
    },
    ["vip"],
)


def done(*operations: Operation, is_act: bool = True) -> Evidence:
    """A run whose calls made these changes, one each, at steps 2, 3, …"""
    ledger, steps, calls = WORLD, [], []
    for step, operation in enumerate(operations, start=2):
        applied = apply(ledger, [operation], "off")
        ledger = applied.ledger
        calls.append(call(step, "act", mutating=is_act))
        steps += [WorldStep(step, "act", "odyssey", is_act, entry) for entry in applied.entries]
    effects = effects_of(steps, WORLD.flags)
    return evidence(before=WORLD, after=ledger, calls=tuple(calls), effects=effects)


CANCEL = Update("order", "o1", {"status": "cancelled"})
REOPEN = Update("order", "o1", {"status": "open"})
MOVE = Update("customer", "c1", {"address": {"city": "Rome"}})
RECOUNT = Update("order", "o1", {"lines": [{"sku": "a", "n": 1}, {"sku": "b", "n": 3}]})


@pytest.mark.parametrize(
    ("allowed", "operations", "wrong_step"),
    [
        ([], (), None),
        ([], (Update("order", "o1", {"status": "open"}),), None),  # it was so already
        ([], (CANCEL,), 2),
        ([], (SetFlag("vip"),), None),
        ([], (ClearFlag("vip"),), 2),
        (["order"], (CANCEL, Remove("order", "o2"), Add("order", "o3", {})), None),
        (["order"], (CANCEL, MOVE), 3),
        (["order", "customer"], (CANCEL, MOVE), None),
        (["order.status"], (CANCEL,), None),
        (["order.status"], (CANCEL, REOPEN), None),
        (["order.status"], (Update("order", "o1", {"status": "cancelled", "total": 6}),), 2),
        (["order.status"], (Remove("order", "o1"),), 2),
        (["order.status"], (Add("order", "o3", {"status": "open"}),), 2),
        (["$.order.o1"], (CANCEL, RECOUNT), None),
        (["$.order.o1"], (Remove("order", "o1"),), None),
        (["$.order.o1"], (Update("order", "o2", {"status": "cancelled"}),), 2),
        (["$.order.o1.status"], (CANCEL, MOVE), 3),
        (["$.order.o1.status"], (Remove("order", "o1"),), 2),
        (["$.order.o1.lines[1].n"], (RECOUNT,), None),
        (["$.order.o1.lines[0].n"], (RECOUNT,), 2),
        (["$.order.*.status"], (CANCEL, Update("order", "o2", {"status": "cancelled"})), None),
        (["$.order[?@.total > 6]"], (Update("order", "o2", {"status": "cancelled"}),), None),
        (["$.order[?@.total > 6]"], (CANCEL,), 2),
        (["$.order[?@.status == 'cancelled']"], (CANCEL,), None),
        (["$.refund[*]"], (Add("refund", "r1", {"amount": 5}),), None),
        (["$.customer..city"], (MOVE,), None),
        (["$.order.o1.status"], (CANCEL, MOVE, Update("customer", "c1", {"address": {"city": "Bern"}})), 3),
        (["flags"], (SetFlag("seen"), ClearFlag("vip")), None),
        (["flags.seen"], (SetFlag("seen"), ClearFlag("vip")), 3),
    ],
)
def test_only_changed(allowed: list[str], operations: tuple[Operation, ...], wrong_step: int | None) -> None:
    found = result({"only_changed": allowed}, done(*operations))
    assert (found.state, found.sequence) == (
        ("passed", None) if wrong_step is None else ("failed", wrong_step)
    )


@pytest.mark.parametrize(
    ("forbidden", "operations", "wrong_step"),
    [
        (["customer"], (CANCEL,), None),
        (["customer"], (CANCEL, MOVE), 3),
        (["customer"], (MOVE, Update("customer", "c1", {"address": {"city": "Bern"}})), 2),
        (["customer.email"], (MOVE,), None),
        (["customer.email"], (Remove("customer", "c1"),), 2),
        (["customer.email"], (Add("customer", "c2", {"email": "eve@example.com"}),), 2),
        (["customer.email"], (Add("customer", "c2", {"name": "Eve"}),), None),
        (["order.total"], (CANCEL,), None),
        (["$.order.o2"], (CANCEL,), None),
        (["$.order.o1.total"], (CANCEL,), None),
        (["$.order.o1.total"], (Remove("order", "o1"),), 2),
        (["$.order.o1.lines[0]"], (RECOUNT,), None),
        (["$.order.o1.lines[1]"], (RECOUNT,), 2),
        (["$.customer.c1.address.city"], (MOVE,), 2),
        (["$.customer.c1.address.city"], (Update("customer", "c1", {"address": None}),), 2),
        (["$.order[?@.status == 'open']"], (CANCEL,), 2),
        (["flags.vip"], (SetFlag("seen"),), None),
        (["flags.vip"], (ClearFlag("vip"), SetFlag("vip")), 2),
    ],
)
def test_untouched(forbidden: list[str], operations: tuple[Operation, ...], wrong_step: int | None) -> None:
    found = result({"untouched": forbidden}, done(*operations))
    assert (found.state, found.sequence) == (
        ("passed", None) if wrong_step is None else ("failed", wrong_step)
    )


def test_what_a_live_read_showed_is_nobodys_change() -> None:
    seen = done(CANCEL, is_act=False)
    assert result({"only_changed": []}, seen).state == "passed"
    assert result({"untouched": ["order"]}, seen).state == "passed"


def test_the_reason_says_what_was_done_and_that_it_was_set_back() -> None:
    found = result({"only_changed": ["order.status"]}, done(CANCEL, MOVE, RECOUNT))
    assert found.reason == (
        "step 3, act, changes customer 'c1' (address), not among order.status; and 1 more such change"
    )
    found = result({"untouched": ["order"]}, done(CANCEL, REOPEN))
    assert found.reason == (
        "step 2, act, changes order 'o1' (status), which touches order; it was set back later; and 1 more such change"
    )
    assert result({"only_changed": []}, done(Remove("order", "o1"))).reason == (
        "step 2, act, removes order 'o1', though nothing may change"
    )


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ({"only_changed": "$.order["}, "not a JSONPath"),
        ({"only_changed": ["order.status.code"]}, "type.field or a JSONPath"),
        ({"only_changed": ["order."]}, "type.field or a JSONPath"),
        ({"only_changed": [".status"]}, "type.field or a JSONPath"),
        ({"only_changed": ["order", "order"]}, "twice"),
        ({"only_changed": [3]}, "must be a text"),
        ({"only_changed": {"order": 1}}, "must be a list of paths"),
        ({"only_changed": ["$.order[?@.id == $.customer.c1.id]"]}, "one entity at a time"),
        ({"untouched": []}, "at least one path"),
        ({"called": {"tool": "x", "outcome": "well"}}, "'ok', 'failed' or 'any'"),
        ({"order": {"tools": ["x"], "outcome": 1}}, "'ok', 'failed' or 'any'"),
        ({"order": {"tools": []}}, "order is a list"),
        ({"not_called": {"tool": "x", "outcome": "ok"}}, "counts every attempt"),
    ],
)
def test_what_cannot_be_read_is_said(check: dict[str, Any], said: str) -> None:
    read = read_checks([check])
    assert read.checks == ()
    assert said in read.errors[0].msg, read.errors
