"""What checks mean is what they meant where they were written: files, the API, scenarios, and what is stored."""

from typing import Any

import pytest
from support.agents import ScriptedAgent, final
from support.datasets import post_csv, table
from support.platform import WORLD, Org

CALLED = [{"called": "update_order"}]
RULES = [{"tool": "update_order", "error": {"code": "down", "message": "It is down."}}]


@pytest.fixture
def tries(org: Org) -> Any:
    """An agent whose one call fails."""

    def behave(dispatched: Any) -> Any:
        dispatched.call("update_order", {"order_id": "ord_2", "status": "cancelled"})
        return final("It is cancelled.")

    agent = ScriptedAgent(behave)
    yield org.agent(agent.url)
    agent.stop()


@pytest.mark.parametrize(
    ("version", "checks", "verdict"),
    [
        (None, CALLED, "FAIL"),
        (2, CALLED, "FAIL"),
        (1, CALLED, "PASS"),
        (2, [{"called": {"tool": "update_order", "outcome": "any"}}], "PASS"),
        (1, [{"called": {"tool": "update_order", "outcome": "ok"}}], "FAIL"),
    ],
)
def test_seeds_of_the_api_have_the_new_meaning(
    org: Org, tries: Any, version: int | None, checks: list[Any], verdict: str
) -> None:
    seed: dict[str, Any] = {"user_instruction": "Cancel.", "initial_state": WORLD, "failure_rules": RULES}
    seed |= {"checks": checks} | ({} if version is None else {"checks_version": version})
    (run_id,) = org.start(tries, seed)
    run = org.graded(run_id)
    assert run["verdict"] == verdict
    assert run["odyssey_seed"].get("checks_version", 1) == (version or 2)


@pytest.mark.parametrize(("version", "verdict"), [(None, "PASS"), (2, "FAIL")])
def test_files_have_the_meaning_they_say_or_else_the_old_one(
    org: Org, tries: Any, version: int | None, verdict: str
) -> None:
    row: dict[str, Any] = {"user": "Cancel.", "state": WORLD, "failure_rules": RULES, "checks": CALLED}
    row |= {} if version is None else {"checks_version": version}
    dataset = org.ok(post_csv(org, table(row)))
    made = org.ok(org.post("/api/runs", {"agent_id": tries["id"], "dataset_id": dataset["id"]}))
    assert org.graded(made["runs"][0]["id"])["verdict"] == verdict


@pytest.mark.parametrize("rule", [{"fault": "garbage"}, {"response": {"error": "It is down."}}])
def test_a_broken_wire_and_an_error_in_an_answer_are_failures_too(org: Org, tries: Any, rule: Any) -> None:
    seed = {"user_instruction": "Cancel.", "initial_state": WORLD, "failure_rules": [rule], "checks": CALLED}
    (run_id,) = org.start(tries, seed)
    assert org.graded(run_id)["verdict"] == "FAIL"


def test_a_version_that_there_is_not_is_refused(org: Org, tries: Any) -> None:
    seed = {"user_instruction": "x", "checks_version": 3}
    answer = org.post("/api/runs", {"agent_id": tries["id"], "seeds": [seed]})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["msg"] == "checks_version must be 1 or 2"
