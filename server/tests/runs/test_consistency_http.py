"""How often answers contradict their worlds: counted when a run is over, added up for an agent and its versions."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from runs.test_lost_runs import leave_behind
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import TOOLS, WORLD, Org, Platform

StartAgent = Callable[[Behaviour], ScriptedAgent]

CREATE = {
    "name": "create_order",
    "input_schema": {"type": "object", "properties": {"status": {}, "customer_id": {"type": "string"}}},
}
MEMBERS: dict[str, Any] = {
    "tools_schema": [tool for tool in TOOLS if tool["name"] != "create_order"] + [CREATE],
    "ledger_schema": {
        "entities": [
            {"type": "order", "id_field": "order_id"},
            {"type": "customer", "id_field": "customer_id"},
        ]
    },
}


def work(dispatched: Dispatched) -> Any:
    """Two calls that are right, one that contradicts the world, and one that is not answered."""
    for order in ("ord_1", "ord_2"):
        assert dispatched.call("get_order", {"order_id": order}).status_code == 200
    assert dispatched.call("create_order", {"status": "new", "customer_id": "nobody"}).status_code == 200
    assert dispatched.call("no_such_tool").status_code == 404
    return final()


def figures(org: Org, agent: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = org.ok(org.get(f"/api/agents/{agent['id']}/consistency"))
    return found


def counts(run: dict[str, Any]) -> tuple[int, int]:
    return run["tool_calls"], run["violations"]


def test_an_agent_and_its_versions(org: Org, agent_server: StartAgent) -> None:
    agent = org.agent(agent_server(work).url, **MEMBERS)
    assert figures(org, agent) == {
        "runs": 0, "tool_calls": 0, "violations": 0, "per_1000": None, "versions": [],
    }  # fmt: skip
    for _ in range(2):
        assert counts(org.run(agent, initial_state=WORLD)) == (3, 1)
    quiet = {"consistency_mode": "off"}
    newer = org.ok(org.put(f"/api/agents/{agent['id']}", {"config": quiet}))
    assert counts(org.run(newer, initial_state=WORLD)) == (3, 0)
    found = figures(org, agent)
    assert [each.pop("version") for each in found["versions"]] == [newer["version"], agent["version"]]
    assert found == {
        "runs": 3,
        "tool_calls": 9,
        "violations": 2,
        "per_1000": pytest.approx(2000 / 9),
        "versions": [
            {"runs": 1, "tool_calls": 3, "violations": 0, "per_1000": 0},
            {"runs": 2, "tool_calls": 6, "violations": 2, "per_1000": pytest.approx(1000 / 3)},
        ],
    }
    listed = org.ok(org.get("/api/runs"))["items"]
    assert [counts(run) for run in listed] == [(3, 0), (3, 1), (3, 1)]


def test_runs_without_a_call_and_agents_of_others_do_not_count(
    org: Org, other_org: Org, agent_server: StartAgent
) -> None:
    agent = org.agent(agent_server(lambda d: final()).url)
    assert counts(org.run(agent)) == (0, 0)
    org.run(org.agent(agent_server(work).url, **MEMBERS), initial_state=WORLD)
    assert figures(org, agent)["runs"] == 0
    assert other_org.get(f"/api/agents/{agent['id']}/consistency").status_code == 404


@pytest.mark.both_databases
def test_a_run_that_is_cancelled_counts_and_one_that_goes_on_does_not(
    org: Org, agent_server: StartAgent
) -> None:
    worked, release = threading.Event(), threading.Event()

    def then_wait(dispatched: Dispatched) -> Any:
        work(dispatched)
        worked.set()
        release.wait(60)
        return final()

    agent = org.agent(agent_server(then_wait).url, **MEMBERS)
    try:
        (run_id,) = org.start(agent, {"user_instruction": "Do it.", "initial_state": WORLD})
        assert worked.wait(60)
        assert counts(org.ok(org.get(f"/api/runs/{run_id}"))) == (0, 0)
        assert figures(org, agent)["runs"] == 0
        assert counts(org.ok(org.post(f"/api/runs/{run_id}/cancel"))) == (3, 1)
    finally:
        release.set()
    assert figures(org, agent)["tool_calls"] == 3


def test_only_the_last_attempt_counts(platform: Platform, org: Org, agent_server: StartAgent) -> None:
    worked, release = threading.Event(), threading.Event()

    def lost_at_first(dispatched: Dispatched) -> Any:
        work(dispatched)
        if dispatched.headers["x-pipelines-attempt"] == "1":
            worked.set()
            release.wait(60)
        return final()

    server = agent_server(lost_at_first)
    try:
        (run_id,) = org.start(
            org.agent(server.url, **MEMBERS), {"user_instruction": "Do it.", "initial_state": WORLD}
        )
        assert worked.wait(60)
        leave_behind(platform, run_id)
        run = org.wait(run_id)
    finally:
        release.set()
    assert [each["outcome"] for each in run["attempts"]] == ["lost", "completed"]
    assert len(org.trace(run_id, "violation")) == 2
    assert counts(run) == (3, 1)
