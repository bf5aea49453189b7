"""Scenarios and eval runs in tests."""

from collections.abc import Callable, Iterable
from typing import Any

import httpx
from support.agents import Behaviour, ScriptedAgent
from support.platform import Org
from support.waiting import wait_for

StartAgent = Callable[[Behaviour], ScriptedAgent]

SCENARIOS = "/api/v1/eval/scenarios"
RUNS = "/api/v1/eval/runs"
COMPARE = "/api/v1/eval/compare"
VARIATIONS = "/api/v1/eval/variations"

SCENARIO: dict[str, Any] = {
    "name": "Late return",
    "description": "A customer wants to return goods after the deadline.",
    "risk_level": "critical",
    "input_context": {"order_id": "ord_1", "days": 40},
    "expected_behavior": {"decision": "refuse"},
    "tags": ["returns", "policy/late"],
}


def scenario(org: Org, **changes: Any) -> dict[str, Any]:
    made: dict[str, Any] = org.ok(org.post(SCENARIOS, SCENARIO | changes))
    return made


def start(org: Org, made: dict[str, Any], **members: Any) -> list[int]:
    answer = org.post(RUNS, {"scenario_id": made["id"], **members})
    assert answer.status_code == 202, answer.text
    return [run["id"] for run in answer.json()["runs"]]


def observed(org: Org, run_id: int) -> dict[str, Any]:
    """Wait until the run has ended and was looked at."""
    return wait_for(
        lambda: org.ok(org.get(f"{RUNS}/{run_id}")), lambda shown: shown["observed_at"] is not None
    )


def all_observed(org: Org, run_ids: Iterable[int]) -> list[dict[str, Any]]:
    return [observed(org, run_id) for run_id in run_ids]


def stand_in(org: Org, run_id: int) -> dict[str, Any]:
    """The run that repeats a missing one, which was observed already."""
    found: list[dict[str, Any]] = org.ok(org.get(RUNS))["items"]
    (only,) = [run for run in found if run["replaces"] == run_id]
    return only


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]
