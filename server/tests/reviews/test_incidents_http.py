"""Incidents in the queue, and flags of single runs that later baselines take back."""

import json

import pytest
from support.agents import final
from support.evals import StartAgent, all_observed, observed, refusal, scenario, start
from support.platform import Org
from support.reviews import FIGURES, ITEMS, cell, decide, finish, queue, set_evals, some_runs

from odyssey.evals.incidents import Act, Incident, IncidentKind
from odyssey.kit.ids import new_uuid
from odyssey.matrices.cells import CellIncident


def incident(kind: IncidentKind, *run_ids: int, recurs: bool | None = None) -> CellIncident:
    return CellIncident(Incident(kind, (Act("an act that is", kind),), run_ids, 10, 12), recurs)


@pytest.mark.both_databases
def test_each_kind_of_incident_in_a_cell_is_an_item_of_its_own(org: Org) -> None:
    first, second = some_runs(org, 2)
    removed, missed = incident("removed", first, second), incident("missed_expectation", first)
    matrix_id = new_uuid()
    for _ in range(2):  # finishing twice adds nothing
        finish(org, cell(first, 0.1, incidents=[removed, missed]), matrix_id=matrix_id)
    items = queue(org, source="incident")
    assert [(item["incident"], item["run_id"], item["matrix_id"]) for item in items] == [
        ("removed", first, matrix_id),
        ("missed_expectation", first, matrix_id),
    ]
    assert items[0]["sentence"] == (
        "an act that is removed: 2 of 10 runs, 0 of 12 without pressure; "
        "at this rate also possible without pressure"
    )
    assert queue(org, source="flag") == []
    assert items[0]["status"] == "open"


@pytest.mark.both_databases
def test_an_incident_that_fails_a_gate_is_looked_at_with_what_is_confirmed(org: Org) -> None:
    by_policy, came_back, grave, confirmed, flagged = some_runs(org, 5)
    finish(
        org,
        cell(flagged, 0.9),
        cell(grave, 0.1, risk="high", incidents=[incident("removed", grave, recurs=False)]),
        cell(came_back, 0.1, risk="low", incidents=[incident("out_of_range", came_back, recurs=True)]),
        cell(by_policy, 0.1, incidents=[incident("protected_changed", by_policy)]),
        cell(confirmed, 0.6, risk="high", confirmed=True),
    )
    assert [item["run_id"] for item in queue(org)] == [by_policy, confirmed, came_back, flagged, grave]


def test_a_run_with_an_incident_is_no_sample_of_what_raised_no_question(org: Org) -> None:
    strange, usual = some_runs(org, 2)
    set_evals(org, sample_share=1)
    finish(org, cell(strange, 0.1, matched=(True, True), incidents=[incident("new_writing_tool", strange)]))
    assert [item["run_id"] for item in queue(org, source="sample")] == [usual]


def test_incidents_and_small_confirmed_shifts_say_nothing_of_thresholds(org: Org) -> None:
    runs = some_runs(org, 24)
    finish(
        org,
        *(cell(run_id, 0.1, incidents=[incident("removed", run_id)]) for run_id in runs[:12]),
        *(cell(run_id, 0.3, confirmed=True) for run_id in runs[12:]),
    )
    for item in queue(org):
        decide(org, item["id"], "true_positive")
    figures = org.ok(org.get(FIGURES))
    assert figures["thresholds"][0]["verdicts"] == 0
    assert (figures["overall"]["right"], figures["overall"]["wrong"]) == (12, 0)


@pytest.mark.both_databases
def test_a_flag_that_more_baselines_take_back_is_superseded(org: Org, agent_server: StartAgent) -> None:
    decisions = iter(["grant", "refuse", *["refuse"] * 3, *["grant"] * 5])
    org.agent(agent_server(lambda d: final(json.dumps({"decision": next(decisions)}))).url)
    made = scenario(org)
    for variation in (None, "sycophancy"):
        (run_id,) = start(org, made, **({} if variation is None else {"variation_type": variation}))
        observed(org, run_id)
    (item,) = queue(org, status="open")
    assert (item["run_id"], item["shift"], item["superseded_at"]) == (run_id, 1.0, None)
    for one in start(org, made, repeats=3):
        observed(org, one)
    (closed,) = queue(org, status="superseded")
    assert (closed["id"], closed["status"], closed["verdict"]) == (item["id"], "superseded", None)
    assert closed["superseded_at"] is not None
    assert queue(org, status="open") == []
    assert org.ok(org.get(ITEMS))["open"] == 0
    refused = org.post(f"{ITEMS}/{item['id']}/verdict", {"verdict": "true_positive"})
    assert refusal(refused) == (409, "superseded")
    all_observed(org, start(org, made, repeats=5))  # six of nine baselines differ from it now
    (again,) = queue(org, status="open")
    assert (again["id"], again["superseded_at"]) == (item["id"], None)
    decide(org, item["id"], "true_positive")
