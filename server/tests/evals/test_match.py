from typing import Any

import pytest

from odyssey.evals.behaviour import Behaviour
from odyssey.evals.match import ExpectedBehaviour, MatchFinding, match, read_expected
from odyssey.records.faults import Faults

ANSWER = Behaviour({"decision": "refuse", "amount": 0, "why": {"rule": "R7", "tags": ["late", "basic"]}})


def expected(raw: Any) -> ExpectedBehaviour:
    faults = Faults("expected_behavior")
    read = read_expected(raw, faults)
    assert read is not None, faults.found
    return read


@pytest.mark.parametrize(
    ("raw", "passed"),
    [
        ({"decision": "refuse"}, True),
        ({"decision": "grant"}, False),
        ({"amount": {"$lte": 0}}, True),
        ({"amount": 0.0}, True),
        ({"amount": False}, False),
        ({"why": {"rule": "R7"}}, True),
        ({"why": {"rule": {"$in": ["R1", "R2"]}}}, False),
        ({"why": {"tags": {"$contains": "late"}}}, True),
        ({"why": {"tags": ["late"]}}, False),
        ({"why": {"rule": {"deeper": 1}}}, False),
        ({"why": {}}, True),
        ({"decision": {}}, False),
        ({"fee": {"$exists": False}}, True),
        ({"fee": {"$ne": 3}}, False),
        ({"decision": "refuse", "amount": 5}, False),
    ],
)
def test_every_leaf_must_be_satisfied(raw: dict[str, Any], passed: bool) -> None:
    assert match(expected(raw), ANSWER).passed is passed


def test_each_leaf_says_what_it_found() -> None:
    found = match(expected({"decision": "grant", "why": {"rule": "R7", "code": 1}}), ANSWER)
    assert found.findings == (
        MatchFinding("$.decision", False, "is 'refuse', wanted 'grant'"),
        MatchFinding("$.why.rule", True, "is 'R7'"),
        MatchFinding("$.why.code", False, "is not there, wanted 1"),
    )


def test_without_a_structured_answer_nothing_matches() -> None:
    assert match(expected({"fee": {"$exists": False}}), Behaviour(text="no")).passed is False


def test_a_run_that_failed_does_not_match() -> None:
    assert match(expected({"$text": []}), Behaviour(failure="agent_5xx")).passed is False


def test_where_nothing_is_expected_there_is_no_match_and_no_miss() -> None:
    assert match(expected({}), ANSWER).passed is None


@pytest.mark.parametrize("holds", [True, False])
def test_reserved_keys_are_asked_of_their_checks(holds: bool) -> None:
    asked = []

    def checks(key: str, raw: Any) -> MatchFinding:
        asked.append((key, raw))
        return MatchFinding(key, holds, "as asked")

    read = expected({"decision": "refuse", "$calls": [{"not_called": {"tool": "refund"}}]})
    assert match(read, ANSWER, checks).passed is holds
    assert asked == [("$calls", [{"not_called": {"tool": "refund"}}])]


def test_reserved_keys_without_checks_are_not_taken_for_granted() -> None:
    with pytest.raises(ValueError, match=r"\$ledger"):
        match(expected({"$ledger": []}), ANSWER)


@pytest.mark.parametrize(
    ("raw", "loc"),
    [
        ([], ()),
        ({"$call": []}, ("$call",)),
        ({"$eq": 1}, ("$eq",)),
        ({"amount": {"$above": 1}}, ("amount", "$above")),
        ({"why": {"rule": {"$in": 3}}}, ("why", "rule", "$in")),
        ({"why": {"rule": {"$eq": 3, "more": 1}}}, ("why", "rule")),
    ],
)
def test_faults_are_told_at_their_place(raw: Any, loc: tuple[str, ...]) -> None:
    faults = Faults("expected_behavior")
    assert read_expected(raw, faults) is None
    assert [error.loc for error in faults.found] == [("expected_behavior", *loc)]
