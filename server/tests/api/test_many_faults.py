"""A document with more faults than anybody reads: a hundred are listed, all are counted."""

from typing import Any

import httpx
import pytest
from api.surface import AGENT, UNUSED_URL
from support.datasets import post_csv
from support.platform import Org

FEW, MANY = 3_000, 30_000
"""Faults of a body that is read on the event loop, and of one that is read beside it."""


def unknown(count: int) -> dict[str, Any]:
    return {f"unknown_{number:06}": 0 for number in range(count)}


def posts(count: int) -> dict[str, tuple[str, Any, int]]:
    """An address, a body, and how many faults it has."""
    entities = {str(number): number for number in range(count)}
    return {
        "members of a body": ("/api/agents", AGENT | unknown(count), count),
        "members of a seed": (
            "/api/runs",
            {"agent_id": 0, "seeds": [{"user_instruction": "x"} | unknown(count)]},
            count,
        ),
        "members of a config": (
            "/api/agents/validate",
            AGENT | {"config": {"endpoint_url": UNUSED_URL} | unknown(count)},
            count,
        ),
        "entities of a world": ("/api/worlds", {"name": "w", "initial_state": {"order": entities}}, count),
        "members of a rule": (
            "/api/worlds",
            {"name": "w", "failure_rules": [{"response": None} | unknown(count)]},
            count,
        ),
        "members of a scenario": (
            "/api/v1/eval/scenarios/import",
            [
                {"name": "s", "risk_level": "low", "input_context": {"a": 1}, "expected_behavior": {}}
                | unknown(count)
            ],
            count,
        ),
    }


def assert_counted(answer: httpx.Response, faults: int) -> None:
    assert answer.status_code == 422, answer.text[:500]
    problem = answer.json()
    assert len(problem["errors"]) == 100
    assert f"(and {faults - 1:,} more, the first 100 are in `errors`)" in problem["detail"]


@pytest.mark.parametrize(
    ("where", "count"),
    [*((where, FEW) for where in posts(0)), ("members of a body", MANY), ("members of a seed", MANY)],
)
def test_a_hundred_faults_are_listed_and_all_are_counted(org: Org, where: str, count: int) -> None:
    path, body, faults = posts(count)[where]
    if where == "members of a seed":
        body["agent_id"] = org.agent(UNUSED_URL)["id"]
    assert_counted(org.post(path, body), faults)


def test_rows_of_a_dataset_are_counted_to_the_end(org: Org) -> None:
    assert_counted(post_csv(org, "user,checks\n" + "x,no\n" * 1_000), 1_000)


def test_a_hundred_faults_are_all_listed(org: Org) -> None:
    problem = org.post("/api/agents", AGENT | unknown(100)).json()
    assert len(problem["errors"]) == 100
    assert "(and 99 more, see `errors`)" in problem["detail"]


def test_unknown_parameters_of_an_address_are_counted(org: Org) -> None:
    query = "&".join(f"p{number}" for number in range(300))
    assert_counted(org.get(f"/api/agents?{query}"), 300)
