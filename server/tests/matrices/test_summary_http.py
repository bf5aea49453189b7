"""What finished matrices say of an organisation's agents, and of two versions of one."""

from typing import Any

import pytest
from support.evals import StartAgent, all_observed, refusal, start
from support.experiments import (
    MATRIX,
    SUMMARY,
    cases,
    finished,
    run_matrix,
    start_matrix,
    wait_until,
    weak_at,
)
from support.platform import Org

ENOUGH = {"repeats": 4, "baseline_repeats": 6}


class Agent:
    """An agent whose weakness can be changed, and published anew."""

    def __init__(self, org: Org, agent_server: StartAgent, *weak: tuple[str, str]) -> None:
        self._org = org
        self.weak = weak
        self.id = org.agent(agent_server(lambda d: weak_at(*self.weak)(d)).url)["id"]

    def publish(self, *weak: tuple[str, str]) -> None:
        self.weak = weak
        self._org.ok(self._org.put(f"/api/agents/{self.id}", {"description": f"weak at {weak}"}))
        self._org.ok(self._org.post(f"/api/agents/{self.id}/publish"))


def summary(org: Org, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = org.ok(org.get(SUMMARY, params=query))
    return found


@pytest.mark.both_databases
def test_nothing_was_evaluated_yet(org: Org) -> None:
    found = summary(org)
    assert (found["matrices"], found["versions"], found["not_evaluated"]) == ([], [], [])
    assert found["match_rate"]["overall"] == {"share": None, "interval": None, "matched": 0, "runs": 0}
    assert found["shift"] == {"green": 0, "amber": 0, "red": 0, "insufficient": 0}
    assert found["single_runs"]["runs"] == 0


@pytest.mark.both_databases
def test_single_runs_are_counted_apart(org: Org, agent_server: StartAgent) -> None:
    agent = Agent(org, agent_server, ("late", "sycophancy"))
    (late,) = cases(org, "late", risk_level="critical")
    for variation in (None, "sycophancy", "time_pressure"):
        all_observed(org, start(org, {"id": late}, variation_type=variation, repeats=2))
    single = summary(org)["single_runs"]
    assert (single["runs"], single["flagged"]) == (6, 2)
    assert (single["match_rate"]["matched"], single["match_rate"]["runs"]) == (4, 6)
    assert summary(org, agent_id=agent.id)["single_runs"] == single
    assert summary(org, agent_id=agent.id + 1000)["single_runs"]["runs"] == 0
    matrix = run_matrix(org, [late], "sycophancy", agent_id=agent.id, **ENOUGH)
    assert summary(org)["single_runs"] == single
    assert summary(org, matrix_id=matrix["id"])["single_runs"] is None


@pytest.mark.both_databases
def test_a_new_version_is_not_evaluated_until_it_is_run(org: Org, agent_server: StartAgent) -> None:
    agent = Agent(org, agent_server)
    first = run_matrix(org, cases(org, "late"), "sycophancy", agent_id=agent.id, **ENOUGH)
    assert summary(org)["not_evaluated"] == []
    agent.publish(("late", "sycophancy"))
    found = summary(org)
    (waiting,) = found["not_evaluated"]
    assert (waiting["agent_version"], waiting["last_matrix_id"]) == (2, first["id"])
    assert found["matrices"] == [first["id"]]
    rerun = org.ok(org.post(f"{MATRIX}/{waiting['last_matrix_id']}/rerun"))
    second = finished(org, rerun["id"])
    found = summary(org)
    assert (found["not_evaluated"], found["matrices"]) == ([], [second["id"]])
    assert [each["agent_version"] for each in found["versions"]] == [1, 2]
    assert [each["summary"]["confirmed"] for each in found["versions"]] == [0, 1]
    assert (found["confirmed"], found["shift"]["red"]) == (1, 1)
    org.ok(org.client.delete(f"/api/agents/{agent.id}"))
    assert summary(org)["not_evaluated"] == []


def test_every_agents_newest_matrix_counts(org: Org, agent_server: StartAgent) -> None:
    ids = cases(org, "late", "early")
    agents = [Agent(org, agent_server, ("late", "sycophancy")), Agent(org, agent_server)]
    run_matrix(org, ids, "sycophancy", "time_pressure", agent_id=agents[0].id, **ENOUGH)
    one = run_matrix(org, ids, "sycophancy", agent_id=agents[0].id, **ENOUGH)
    other = run_matrix(org, ids[:1], "sycophancy", agent_id=agents[1].id, **ENOUGH)
    found = summary(org)
    assert sorted(found["matrices"]) == sorted([one["id"], other["id"]])
    assert found["shift"] == {"green": 2, "amber": 0, "red": 1, "insufficient": 0}
    rate = found["match_rate"]["by_variation"]["sycophancy"]
    assert (rate["matched"], rate["runs"]) == (8, 12)
    assert found["match_rate"]["by_risk"].keys() == {"critical"}
    assert summary(org, agent_id=agents[1].id)["matrices"] == [other["id"]]
    assert len(summary(org, agent_id=agents[1].id)["versions"]) == 1
    alone = summary(org, matrix_id=one["id"])
    assert (alone["matrices"], alone["shift"]["red"]) == ([one["id"]], 1)
    assert alone["match_rate"] == one["summary"]["match_rate"]


def test_one_that_goes_on_is_counted_so_far_when_asked_for(
    org: Org, other_org: Org, agent_server: StartAgent
) -> None:
    agent = org.agent("http://127.0.0.1:9/dispatch")
    matrix_id = start_matrix(org, cases(org, "late"), "sycophancy", agent_id=agent["id"])["id"]
    wait_until(org, matrix_id, lambda shown: shown["status"] == "cancelled")
    assert summary(org, matrix_id=matrix_id)["shift"]["insufficient"] == 1
    assert summary(org)["matrices"] == []
    assert refusal(other_org.get(SUMMARY, params={"matrix_id": matrix_id})) == (404, "not_found")


def test_two_versions_are_compared_regressions_first(
    org: Org, other_org: Org, agent_server: StartAgent
) -> None:
    agent = Agent(org, agent_server, ("late", "sycophancy"))
    ids = cases(org, "late", "early")
    before = run_matrix(org, ids, "sycophancy", "time_pressure", agent_id=agent.id, **ENOUGH)
    agent.publish(("early", "time_pressure"))
    after = finished(org, org.ok(org.post(f"{MATRIX}/{before['id']}/rerun"))["id"])

    def compared(first: str, second: str) -> dict[str, Any]:
        found: dict[str, Any] = org.ok(org.get(f"{MATRIX}/{first}/compare", params={"with": second}))
        return found

    found = compared(before["id"], after["id"])
    assert (found["before"]["agent_version"], found["after"]["agent_version"]) == (1, 2)
    counts = [found[name] for name in ("regressed", "improved", "same", "not_comparable")]
    assert counts == [1, 1, 2, 0]
    changed = [(cell["scenario_name"], cell["variation_type"], cell["change"]) for cell in found["cells"]]
    assert changed[:2] == [("early", "time_pressure", "regressed"), ("late", "sycophancy", "improved")]
    assert (found["cells"][0]["before"]["confirmed"], found["cells"][0]["after"]["confirmed"]) == (
        False,
        True,
    )
    assert compared(after["id"], before["id"])["cells"][0]["scenario_name"] == "late"
    assert compared(after["id"], after["id"])["same"] == 4
    for one in (f"{MATRIX}/{before['id']}/compare", f"{MATRIX}/{after['id']}/compare"):
        answer = other_org.get(one, params={"with": before["id"]})
        assert refusal(answer) == (404, "not_found")
    own = run_matrix(other_org_agent(other_org, agent_server), cases(other_org, "late"), "sycophancy")
    answer = other_org.get(f"{MATRIX}/{own['id']}/compare", params={"with": before["id"]})
    assert refusal(answer) == (404, "not_found")


def other_org_agent(org: Org, agent_server: StartAgent) -> Org:
    Agent(org, agent_server)
    return org
