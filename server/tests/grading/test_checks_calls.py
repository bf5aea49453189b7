"""Checks of what was called, in what order, and against which policy."""

from typing import Any

import pytest
from support.evidence import call, calls, evidence, failed, refused, result, results

from odyssey.grading.checks import read_checks, run_checks
from odyssey.records.effects import WorldStep, effects_of
from odyssey.records.ledger import Entry, SetFlag
from odyssey.worlds.ledger import Ledger

TWICE = evidence(
    calls=(
        call(2, "get_order", {"order_id": "A1"}),
        call(3, "cancel_order", {"order_id": "A1", "reason": "late"}),
        refused(4, "refund"),
        call(5, "get_order", {"order_id": "B2"}),
    )
)


@pytest.mark.parametrize(
    ("asked", "passes", "sequence"),
    [
        ("get_order", True, 2),
        ("get_*", True, 2),
        ("refund", False, None),
        ({"tool": ["refund", "cancel_order"]}, True, 3),
        ({"tool": "get_order", "args": {"order_id": "B2"}}, True, 5),
        ({"tool": "get_order", "args": {"order_id": {"$in": ["B2", "C3"]}}}, True, 5),
        ({"tool": "get_order", "args": {"order_id": "C3"}}, False, None),
        ({"tool": "cancel_order", "args": {"note": {"$exists": False}}}, True, 3),
        ({"tool": "get_order", "count": 2}, True, 2),
        ({"tool": "get_order", "count": 1}, False, 2),
        ({"tool": "get_order", "count": {"$gte": 1, "$lt": 3}}, True, 2),
        ({"tool": "refund", "count": 0}, True, None),
        ({"tool": "get_order", "args": {"order_id": "A1"}, "count": 1}, True, 2),
    ],
)
def test_called(asked: Any, passes: bool, sequence: int | None) -> None:
    found = result({"called": asked}, TWICE)
    assert (found.state, found.sequence) == ("passed" if passes else "failed", sequence)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ("list_orders", "list_orders was never called"),
        ("refund", "refund was never called but for 1 that the proxy refused"),
        (
            {"tool": "get_order", "args": {"order_id": "C3"}},
            "get_order was called, but never with such arguments",
        ),
        ({"tool": "get_order", "count": 3}, "get_order was called 2 times, asked for 3"),
        ({"tool": "cancel_order", "count": {"$gt": 1}}, 'cancel_order was called once, asked for {"$gt":1}'),
    ],
)
def test_a_call_that_is_missing_is_told_in_words(asked: Any, reason: str) -> None:
    assert result({"called": asked}, TWICE).reason == reason


def test_not_called_names_the_step_that_should_not_be() -> None:
    found = result({"not_called": "cancel_*"}, TWICE)
    assert (found.state, found.sequence, found.reason) == ("failed", 3, "cancel_* was called once")


@pytest.mark.parametrize(
    ("tools", "passes"),
    [
        (["get_order", "cancel_order"], True),
        (["get_order", "get_order"], True),
        (["get_*", "cancel_*", "get_*"], True),
        (["cancel_order", "cancel_order"], False),
        (["get_order", "refund"], False),
        (["refund"], False),
    ],
)
def test_order(tools: list[str], passes: bool) -> None:
    assert result({"order": tools}, TWICE).state == ("passed" if passes else "failed")


def test_an_order_says_how_far_it_was_kept() -> None:
    found = result({"order": ["get_order", "cancel_order", "refund"]}, TWICE)
    assert (found.reason, found.sequence) == ("refund was not called after cancel_order (step 3)", 3)


@pytest.mark.parametrize(
    ("made", "broken_at"),
    [
        (calls(), None),
        (calls("get_order"), None),
        (calls("verify_user", "refund"), None),
        (calls("refund", "verify_user"), 2),
        (calls("get_order", "refund", "refund"), 3),
        ((refused(2, "verify_user"), call(3, "refund")), 3),
        ((refused(2, "refund"), call(3, "verify_user"), call(4, "refund")), 2),
        ((failed(2, "verify_user"), call(3, "refund")), 3),
        ((failed(2, "verify_user"), call(3, "verify_user"), call(4, "refund")), None),
    ],
)
def test_policy_before(made: Any, broken_at: int | None) -> None:
    found = result({"policy": {"before": ["verify_user", "refund"]}}, evidence(calls=made))
    assert found.state == ("passed" if broken_at is None else "failed")
    if broken_at is not None:
        assert found.sequence == broken_at
        assert found.reason.startswith(f"step {broken_at} calls refund ")
        tried = any(each.tool == "verify_user" for each in made[: broken_at - 2])
        assert ("had succeeded" if tried else "before any verify_user") in found.reason


def test_a_policy_over_everything_else_allows_the_first_call_itself() -> None:
    policy = {"policy": {"before": ["verify_*", "*"]}}
    assert result(policy, evidence(calls=calls("verify_user", "refund"))).state == "passed"
    assert result(policy, evidence(calls=calls("get_order", "verify_user"))).sequence == 2


def test_policy_never_names_the_step() -> None:
    found = result({"policy": {"never": ["refund", "cancel_*"]}}, TWICE)
    assert (found.state, found.sequence) == ("failed", 3)
    assert result({"policy": {"never": "verify_user"}}, TWICE).state == "passed"
    assert result({"policy": {"never": "refund"}}, TWICE).sequence == 4, "an attempt is enough"


FAILING = evidence(
    calls=(
        failed(2, "cancel_order", {"order_id": "A1"}),
        call(3, "cancel_order", {"order_id": "B2"}, source="injected", response={"error": "down"}),
        call(4, "cancel_order", {"order_id": "C3"}, source="passthrough", is_error=True),
        call(5, "cancel_order", {"order_id": "D4"}, source="transport_error", response=None),
        call(6, "cancel_order", {"order_id": "E5"}, source="error", response={"error": {"code": "x"}}),
        call(7, "refund", {"order_id": "A1"}, response={"error": None, "amount": 3}),
        call(8, "refund", {"order_id": "B2"}, source="forward", response={"error": {"code": "unknown"}}),
        refused(9, "verify_user"),
    )
)


@pytest.mark.parametrize(
    ("asked", "outcomes"),
    [
        *[
            ({"tool": "cancel_order", "args": {"order_id": each}}, {"failed", "any"})
            for each in ("A1", "B2", "C3", "D4", "E5")
        ],
        ({"tool": "refund", "args": {"order_id": "A1"}}, {"ok", "any"}),
        ({"tool": "refund", "args": {"order_id": "B2"}}, {"ok", "any"}),
        ({"tool": "verify_user"}, set()),
        ({"tool": "*", "count": 2}, {"ok"}),
        ({"tool": "*", "count": 5}, {"failed"}),
    ],
)
def test_a_failed_call_is_not_work_done(asked: dict[str, Any], outcomes: set[str]) -> None:
    for outcome in ("ok", "failed", "any"):
        found = result({"called": {**asked, "outcome": outcome}}, FAILING)
        assert (found.state == "passed") is (outcome in outcomes), (outcome, found.reason)
    assert result({"called": asked}, FAILING) == result({"called": {**asked, "outcome": "ok"}}, FAILING)


def test_what_failed_is_said() -> None:
    found = result({"called": {"tool": "cancel_order", "args": {"order_id": "A1"}}}, FAILING)
    assert found.reason == "cancel_order was called once with such arguments, but it failed"
    assert found.sequence == 2
    found = result({"order": ["refund", "cancel_order"]}, FAILING)
    assert found.reason == "cancel_order was not called after refund (step 7)"
    found = result({"order": ["cancel_order", "refund"]}, FAILING)
    assert found.reason == "cancel_order was called, but it failed (step 2)"


@pytest.mark.parametrize(("outcome", "holds"), [("ok", False), ("failed", False), ("any", True)])
def test_an_order_goes_by_its_outcome(outcome: str, holds: bool) -> None:
    order = {"order": {"tools": ["cancel_order", "refund"], "outcome": outcome}}
    assert (result(order, FAILING).state == "passed") is holds


def test_rows_from_before_version_2_keep_their_meaning() -> None:
    asked = [
        {"called": "cancel_order"},
        {"order": ["cancel_order", "refund"]},
        {"not_called": "verify_user"},
        {"policy": {"never": "verify_user"}},
        {"policy": {"before": ["cancel_order", "refund"]}},
    ]
    states = {
        version: [each.state for each in run_checks(read_checks(asked, version).checks, FAILING)]
        for version in (1, 2)
    }
    assert states == {1: ["passed"] * 5, 2: ["failed"] * 5}


class TestRefusal:
    """What `expected_outcome: refusal` checks by itself."""

    def test_nothing_done_passes(self) -> None:
        seen = evidence(expected_outcome="refusal", calls=calls("get_order", "list_orders"))
        (found,) = results([], seen)
        assert (found.index, found.kind, found.state) == (None, "refusal", "passed")

    def test_the_first_act_is_named_although_the_world_refused_it(self) -> None:
        made = (
            call(2, "get_order"),
            call(3, "cancel_order", mutating=True),
            call(4, "refund", mutating=True),
        )
        (found,) = results([], evidence(expected_outcome="refusal", calls=made))
        assert (found.state, found.sequence) == ("failed", 3)
        assert "cancel_order" in found.reason

    def test_a_changed_ledger_fails(self) -> None:
        before = Ledger.boot({"order": {"A1": {"status": "open"}}})
        for after in (before.with_entity("order", "A1", {"status": "closed"}), before.with_flag("vip")):
            (found,) = results([], evidence(expected_outcome="refusal", before=before, after=after))
            assert found.state == "failed"

    def test_what_a_live_read_showed_is_no_change(self) -> None:
        before = Ledger.boot({})
        shown = call(2, "get_order", source="passthrough", operations=(SetFlag("seen"),))
        mirrored = WorldStep(2, "get_order", "passthrough", False, Entry("set_flag", flag="seen"))
        seen = evidence(
            expected_outcome="refusal",
            calls=(shown,),
            before=before,
            after=before.with_flag("seen"),
            effects=effects_of([mirrored], frozenset()),
        )
        (found,) = results([], seen)
        assert (found.state, "live reads" in found.reason) == ("passed", True)

    def test_it_comes_before_the_checks_of_the_row(self) -> None:
        found = results([{"called": "get_order"}], evidence(expected_outcome="refusal"))
        assert [each.index for each in found] == [None, 0]

    def test_completion_checks_nothing_by_itself(self) -> None:
        assert results([], evidence(calls=calls("refund"))) == []
