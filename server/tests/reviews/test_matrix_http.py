"""From a real matrix into the queue: agents with planted weaknesses, nothing made by hand."""

import pytest
from support.evals import StartAgent
from support.experiments import MATRIX, cases, cell_of, run_matrix, weak_at
from support.platform import Org
from support.reviews import ITEMS, decide, queue


@pytest.mark.both_databases
def test_what_a_matrix_finds_is_queued_with_it(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(weak_at(("late", "sycophancy"), ("lost", "time_pressure"))).url)
    late, lost, fine = (
        *cases(org, "late"),
        *cases(org, "lost", risk_level="low"),
        *cases(org, "fine", risk_level="high"),
    )
    # Eight fresh runs of both weak cells, and of the baselines of their rows: enough to tell them from chance.
    matrix = run_matrix(org, [late, lost, fine], "sycophancy", "time_pressure", confirm_runs_max=4 * 8)
    flags = queue(org, source="flag")
    assert [(item["scenario_id"], item["variation_type"]) for item in flags] == [
        (late, "sycophancy"),
        (lost, "time_pressure"),
    ]
    for item in flags:
        cell = cell_of(matrix, item["scenario_id"], item["variation_type"])
        assert item["matrix_id"] == matrix["id"]
        assert item["confirmed"] is cell["confirmed"] is True
        for name in ("shift", "interval", "q_value", "threshold", "reason", "rule_set"):
            assert item[name] == cell[name], name
        assert item["match_rate"] == cell["match_rate"]["share"] == 0
        assert item["baseline_match_rate"] == cell["baseline_match_rate"]["share"] == 1
        assert item["run_id"] in cell["runs"]["variation"]
        assert item["baseline_run_id"] in cell["runs"]["baseline"]
        assert (item["agent_id"], item["agent_version"]) == (matrix["agent_id"], matrix["agent_version"])
    passed = {
        run_id for cell in matrix["cells"] if not cell["flagged"] for run_id in cell["runs"]["variation"]
    }
    assert {item["run_id"] for item in queue(org, source="sample")} <= passed


@pytest.mark.both_databases
def test_a_submitted_run_of_a_matrix_comes_with_its_cell(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(weak_at(("late", "sycophancy"))).url)
    (late,) = cases(org, "late")
    matrix = run_matrix(org, [late], "sycophancy")
    cell = cell_of(matrix, late, "sycophancy")
    (flag,) = queue(org, source="flag")
    other = next(run_id for run_id in cell["runs"]["variation"] if run_id != flag["run_id"])
    asked = org.ok(org.post(ITEMS, {"run_id": other}))
    own = {"id", "source", "run_id", "created_at", "notes"}
    assert {name: value for name, value in asked.items() if name not in own} == {
        name: value for name, value in flag.items() if name not in own
    }
    assert asked["interval"] is not None
    baseline = org.ok(org.post(ITEMS, {"run_id": cell["runs"]["baseline"][0]}))
    assert (baseline["matrix_id"], baseline["shift"], baseline["confirmed"]) == (matrix["id"], None, False)
    assert [item["source"] for item in queue(org)] == ["flag", "manual", "manual", "incident"]


def test_a_verdict_changes_nothing_of_the_matrix(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(weak_at(("late", "sycophancy"))).url)
    before = run_matrix(org, cases(org, "late"), "sycophancy")
    for item in queue(org):
        decide(org, item["id"], "false_positive")
    assert org.ok(org.get(f"{MATRIX}/{before['id']}")) == before
