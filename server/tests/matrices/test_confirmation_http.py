"""The second stage of a matrix over HTTP: what looked suspicious is run again, and judged on its fresh runs alone."""

import json
import threading
from collections import Counter
from typing import Any

import pytest
from support.agents import Dispatched, final
from support.evals import COMPARE, RUNS, StartAgent, refusal
from support.experiments import (
    MATRIX,
    body_of,
    cases,
    finished,
    pressure_of,
    run_matrix,
    start_matrix,
    wait_until,
    weak_at,
    without_runs,
)
from support.platform import Org

SIZE = {"repeats": 4, "baseline_repeats": 12}
"""Of one cell: 16 runs, so that 32 fresh ones at most are asked for here."""


class GivesInAtFirst:
    """It grants in its first four runs under pressure, and never again: bad luck, not a weakness."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pressed = 0

    def __call__(self, dispatched: Dispatched) -> Any:
        with self._lock:
            self._pressed += pressure_of(dispatched) is not None
            gives_in = pressure_of(dispatched) is not None and self._pressed <= 4
        return final(json.dumps({"decision": "grant" if gives_in else "refuse"}))


def runs_of(org: Org, matrix_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = org.ok(org.get(RUNS, params={"matrix_id": matrix_id, "limit": 200}))[
        "items"
    ]
    return found


@pytest.mark.both_databases
def test_bad_luck_in_the_first_runs_is_not_confirmed(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(GivesInAtFirst()).url)
    ids = cases(org, "late")
    matrix = run_matrix(org, ids, "sycophancy", **SIZE, confirm_runs_max=32)
    (cell,) = matrix["cells"]
    first, fresh = cell["stages"]
    assert (first["name"], first["runs"], first["baseline_runs"], first["shift"]) == ("first", 4, 12, 1.0)
    assert first["p_value"] == pytest.approx(1 / 1820)
    assert (fresh["name"], fresh["runs"], fresh["baseline_runs"], fresh["shift"]) == ("fresh", 16, 16, 0.0)
    assert fresh["p_value"] == 1.0
    # The cell is what its fresh runs say, and the first ones are not mixed in.
    assert (cell["shift"], cell["raw_shift"], cell["band"]) == (0.0, 0.0, "green")
    assert (cell["significant"], cell["flagged"], cell["confirmed"]) == (False, False, False)
    assert (cell["match_rate"]["matched"], cell["match_rate"]["runs"]) == (16, 16)
    assert cell["runs"]["variation"] == fresh["run_ids"]
    assert cell["base_match_rate"]["runs"] == 12 + 16
    assert matrix["confirmation"] == {"cells": 1, "runs_per_cell": 16, "runs": 32}
    assert not any(finding["fails"] for finding in matrix["gate"])
    # What fresh runs were made for would bend the rates: those are of the planned runs.
    rates = matrix["summary"]["match_rate"]["by_variation"]
    assert (rates["sycophancy"]["matched"], rates["sycophancy"]["runs"]) == (0, 4)
    assert rates["baseline"]["runs"] == 12


@pytest.mark.both_databases
def test_every_run_says_which_stage_it_is_of_and_is_compared_within_it(
    org: Org, agent_server: StartAgent
) -> None:
    org.agent(agent_server(weak_at(("late", "sycophancy"))).url)
    (made,) = cases(org, "late")
    matrix = run_matrix(org, [made], "sycophancy", **SIZE, confirm_runs_max=20)
    (cell,) = matrix["cells"]
    runs = runs_of(org, matrix["id"])
    counted = Counter((run["variation_type"], run["fresh"]) for run in runs)
    assert counted == {
        (None, False): 12,
        ("sycophancy", False): 4,
        (None, True): 10,
        ("sycophancy", True): 10,
    }
    by_stage = {stage["name"]: stage for stage in cell["stages"]}
    for run in runs:
        stage = by_stage["fresh" if run["fresh"] else "first"]
        side = "baseline_run_ids" if run["variation_type"] is None else "run_ids"
        assert run["id"] in stage[side]
    for stage in cell["stages"]:
        shown = org.ok(org.get(f"{RUNS}/{stage['run_ids'][0]}"))
        assert set(shown["shift"]["baselines"]) == set(stage["baseline_run_ids"])
        assert shown["raw_shift"] == 1.0
    compared = org.ok(
        org.post(COMPARE, {"scenario_id": made, "variation_type": "sycophancy", "matrix_id": matrix["id"]})
    )
    assert compared["runs"]["variation"] == sorted(by_stage["fresh"]["run_ids"])
    assert compared["runs"]["baseline"] == sorted(by_stage["fresh"]["baseline_run_ids"])
    assert (compared["shift"], compared["p_value"]) == (cell["shift"], cell["p_value"])


def test_without_a_confirmation_cells_are_judged_on_their_first_runs(
    org: Org, agent_server: StartAgent
) -> None:
    org.agent(agent_server(weak_at(("late", "sycophancy"))).url)
    ids = cases(org, "late")
    planned = start_matrix(org, ids, "sycophancy", **SIZE, confirm=False, confirm_runs_max=50)
    assert planned["confirm_runs_max"] == 0
    matrix = finished(org, planned["id"])
    (cell,) = matrix["cells"]
    assert (matrix["confirm"], matrix["confirmation"], matrix["progress"]["planned"]) == (False, None, 16)
    assert [stage["name"] for stage in cell["stages"]] == ["first"]
    assert (cell["confirmed"], cell["incidents"][0]["recurs"]) == (True, None)


@pytest.mark.parametrize(
    ("members", "allowed", "runs"),
    [
        ({}, 8, 0),  # half of the plan, too few to look at one cell again
        ({"confirm_runs_max": 20}, 20, 10),
        ({"confirm_runs_max": 500, "budget_runs": 16 + 24}, 24, 12),
        ({"confirm_runs_max": 500, "budget_runs": 16}, 0, 0),
    ],
)
def test_it_stays_within_what_is_allowed(
    org: Org, agent_server: StartAgent, members: dict[str, int], allowed: int, runs: int
) -> None:
    org.agent(agent_server(weak_at(("late", "sycophancy"))).url)
    planned = start_matrix(org, cases(org, "late"), "sycophancy", **SIZE, **members)
    assert planned["confirm_runs_max"] == allowed
    assert any("fresh runs" in warning for warning in planned["warnings"]) == (runs == 0)
    matrix = finished(org, planned["id"])
    confirmation = matrix["confirmation"]
    assert (0 if confirmation is None else confirmation["runs_per_cell"]) == runs
    assert len(runs_of(org, matrix["id"])) == 16 + 2 * runs


def test_an_agent_that_nothing_moves_is_not_run_again(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(weak_at()).url)
    matrix = run_matrix(org, cases(org, "late", "early"), "sycophancy", "time_pressure", **SIZE)
    assert (matrix["confirm"], matrix["confirmation"]) == (True, None)
    assert matrix["progress"]["planned"] == 2 * (12 + 2 * 4)
    assert matrix["gate"] == []


@pytest.mark.both_databases
def test_what_is_cancelled_among_its_fresh_runs_goes_on_with_them(org: Org, agent_server: StartAgent) -> None:
    answered, shut, opened = Counter[str](), threading.Event(), threading.Event()
    weak = weak_at(("late", "sycophancy"))
    lock = threading.Lock()

    def behave(dispatched: Dispatched) -> Any:
        with lock:
            answered["all"] += 1
            late = answered["all"] > 16 + 12
        if late:
            shut.set()
            opened.wait(60)
        return weak(dispatched)

    org.agent(agent_server(behave).url)
    matrix_id = start_matrix(
        org, cases(org, "late"), "sycophancy", **SIZE, confirm_runs_max=32, max_concurrency=4
    )["id"]
    assert shut.wait(60)
    cancelled = org.ok(org.post(f"{MATRIX}/{matrix_id}/cancel"))
    assert (cancelled["status"], cancelled["progress"]["planned"]) == ("cancelled", 48)
    wait_until(org, matrix_id, lambda shown: shown["progress"]["ended"] == shown["progress"]["made"])
    opened.set()
    org.ok(org.post(f"{MATRIX}/{matrix_id}/resume"))
    matrix = finished(org, matrix_id)
    assert matrix["progress"]["planned"] == matrix["progress"]["ended"] == 48
    again = finished(org, org.ok(org.post(f"{MATRIX}/{matrix_id}/rerun"))["id"])
    assert without_runs(again) == without_runs(matrix)
    assert (again["summary"], again["confirmation"]) == (matrix["summary"], matrix["confirmation"])


@pytest.mark.parametrize(
    "members",
    [
        {"confirm": "yes"},
        {"confirm_runs_max": -1},
        {"confirm_runs_max": 100_001},
        {"min_match": {"critical": 1.1}},
        {"min_match": {"grave": 0.9}},
        {"min_match": {"critical": None}},
    ],
)
def test_what_cannot_be_meant_is_refused(org: Org, agent_server: StartAgent, members: dict[str, Any]) -> None:
    org.agent(agent_server(weak_at()).url)
    answer = org.post(MATRIX, body_of(cases(org, "late"), "sycophancy", **members))
    assert refusal(answer) == (422, "validation_failed")
    assert next(iter(members)) in answer.text
