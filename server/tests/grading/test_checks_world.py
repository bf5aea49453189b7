"""Checks of the world at the end: the ledger by JSONPath, and the flags."""

from typing import Any

import pytest
from support.evidence import evidence, result

from odyssey.grading.checks.check import Check, CheckFinding, RunFacts
from odyssey.grading.checks.reading import run_checks
from odyssey.records.effects import Effects
from odyssey.worlds.ledger import Ledger

WORLD = Ledger.boot(
    {
        "order": {
            "A1": {"status": "cancelled", "total": 12.5, "items": ["pen", "ink"], "note": None},
            "B2": {"status": "open", "total": 3, "items": []},
        },
        "user": {"U1": {"name": "Ada", "address": {"city": "Bern", "zip": "3000"}}},
    },
    flags=["vip", "seen"],
)


def state(check: dict[str, Any]) -> str:
    return result(check, evidence(after=WORLD)).state


@pytest.mark.parametrize(
    ("path", "wanted", "passes"),
    [
        ("$.order.A1.status", "cancelled", True),
        ("$.order.A1.status", "open", False),
        ("$.order.A1.status", {"$in": ["cancelled", "returned"]}, True),
        ("$.order.A1.total", {"$gte": 12, "$lt": 13}, True),
        ("$.order.A1.note", None, True),
        ("$.order.A1.items", ["pen", "ink"], True),
        ("$.order.A1.items", {"$contains": "ink"}, True),
        ("$.order.A1", {"status": "cancelled"}, True),
        ("$.order.A1", {"$eq": {"status": "cancelled"}}, False),
        ("$.user.U1.address", {"city": {"$regex": "^B"}}, True),
        ("$.order.C3.status", "open", False),
        ("$.order.C3.status", {"$ne": "open"}, False),
        ("$.order.C3", {"$exists": False}, True),
        ("$.order.A1", {"$exists": False}, False),
        ("$.order.A1", {"$exists": True}, True),
        ("$.order.*", {"$exists": True}, True),
        ("$.order.*", {"$exists": False}, False),
        ("$.order.A1.total", {"$exists": True, "$gt": 12}, True),
        ("$.order.A1.total", {"$exists": True, "$gt": 13}, False),
        ("$.order.*.status", "cancelled", True),
        ("$.order.*.status", "open", False),
        ("$.order.*", {"status": "open"}, False),
        ("$.order[?@.status == 'open'].total", 3, True),
        ("$.order[?@.status == 'lost']", {"$exists": False}, True),
    ],
)
def test_ledger(path: str, wanted: Any, passes: bool) -> None:
    assert state({"ledger": {path: wanted}}) == ("passed" if passes else "failed")


def test_every_path_must_hold() -> None:
    paths = {"$.order.A1.status": "cancelled", "$.order.B2.status": "cancelled"}
    found = result({"ledger": paths}, evidence(after=WORLD))
    assert (found.state, found.reason) == ("failed", '$.order.B2.status is "open", asked for "cancelled"')


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("$.order.C3", "$.order.C3 leads nowhere in the ledger"),
        ("$.order.*", "$.order.* leads to several places, none of them a plain value"),
    ],
)
def test_a_path_without_one_value_says_so(path: str, reason: str) -> None:
    assert result({"ledger": {path: 1}}, evidence(after=WORLD)).reason == reason


@pytest.mark.parametrize(
    ("check", "passes"),
    [
        ({"flag": "vip"}, True),
        ({"flag": ["vip", "seen"]}, True),
        ({"flag": ["vip", "lost"]}, False),
        ({"no_flag": "lost"}, True),
        ({"no_flag": ["lost", "vip"]}, False),
    ],
)
def test_flags(check: dict[str, Any], passes: bool) -> None:
    assert state(check) == ("passed" if passes else "failed")


def test_a_check_that_breaks_is_an_error_and_no_failure() -> None:
    deep: Any = "end"
    for _ in range(5000):
        deep = [deep]
    world = Ledger.adopt({"order": {"A1": {"deep": deep}}})
    found = result({"ledger": {"$.order.A1.deep": 1}}, evidence(after=world, effects=Effects()))
    assert (found.state, found.sequence) == ("error", None)
    assert found.reason.startswith("the check itself broke: RecursionError")


def test_what_a_broken_check_says_is_cut_off() -> None:
    def look(_: RunFacts) -> CheckFinding:
        raise ValueError("x" * 5000)

    (found,) = run_checks([Check(0, "ledger", look)], evidence())
    assert (found.state, len(found.reason)) == ("error", 500)
