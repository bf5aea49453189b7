"""Checks of what was called, in what order, and against which policy."""

from typing import Any

import pytest
from support.evidence import call, calls, evidence, refused, result, results

from odyssey.records.ledger import SetFlag
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
        ((refused(2, "refund"), call(3, "verify_user"), call(4, "refund")), None),
    ],
)
def test_policy_before(made: Any, broken_at: int | None) -> None:
    found = result({"policy": {"before": ["verify_user", "refund"]}}, evidence(calls=made))
    assert found.state == ("passed" if broken_at is None else "failed")
    if broken_at is not None:
        assert found.sequence == broken_at
        assert f"step {broken_at} calls refund before any verify_user" in found.reason


def test_a_policy_over_everything_else_allows_the_first_call_itself() -> None:
    policy = {"policy": {"before": ["verify_*", "*"]}}
    assert result(policy, evidence(calls=calls("verify_user", "refund"))).state == "passed"
    assert result(policy, evidence(calls=calls("get_order", "verify_user"))).sequence == 2


def test_policy_never_names_the_step() -> None:
    found = result({"policy": {"never": ["refund", "cancel_*"]}}, TWICE)
    assert (found.state, found.sequence) == ("failed", 3)
    assert result({"policy": {"never": "refund"}}, TWICE).state == "passed"


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
        seen = evidence(
            expected_outcome="refusal", calls=(shown,), before=before, after=before.with_flag("seen")
        )
        (found,) = results([], seen)
        assert (found.state, "live reads" in found.reason) == ("passed", True)

    def test_it_comes_before_the_checks_of_the_row(self) -> None:
        found = results([{"called": "get_order"}], evidence(expected_outcome="refusal"))
        assert [each.index for each in found] == [None, 0]

    def test_completion_checks_nothing_by_itself(self) -> None:
        assert results([], evidence(calls=calls("refund"))) == []
