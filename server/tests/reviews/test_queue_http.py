from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from support.evals import refusal
from support.platform import Org
from support.reviews import ITEMS, cell, decide, finish, queue, set_evals, some_runs

from odyssey.kit.ids import new_uuid


def places(org: Org, **query: Any) -> list[int]:
    return [item["run_id"] for item in queue(org, **query)]


@pytest.mark.both_databases
def test_a_flagged_cell_is_an_item_with_all_that_was_known(org: Org) -> None:
    typical, baseline = some_runs(org, 2)
    matrix_id = finish(
        org,
        cell(typical, 0.72, confirmed=True, typical_baseline=baseline, rule_set="payments fail"),
    )
    (item,) = queue(org)
    assert item.pop("created_at").endswith("Z")
    identity = item.pop("id")
    assert item == {
        "status": "open",
        "source": "flag",
        "scenario_id": "scn_6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab",
        "scenario_name": "Late return",
        "risk_level": "critical",
        "variation_type": "time_pressure",
        "rule_set": "payments fail",
        "agent_id": 4_100_000,
        "agent_version": 3,
        "matrix_id": matrix_id,
        "run_id": typical,
        "baseline_run_id": baseline,
        "shift": 0.72,
        "distance_version": 2,
        "interval": [0.72 - 0.1, 0.72 + 0.1],
        "q_value": 0.02,
        "match_rate": 0.25,
        "match_runs": 4,
        "baseline_match_rate": 1.0,
        "baseline_match_runs": 12,
        "threshold": 0.5,
        "confirmed": True,
        "reason": "shift",
        "incident": None,
        "sentence": None,
        "notes": "",
        "superseded_at": None,
        "verdict": None,
    }
    assert org.ok(org.get(f"{ITEMS}/{identity}"))["run_id"] == typical


@pytest.mark.both_databases
def test_what_is_confirmed_comes_first_and_samples_last(org: Org) -> None:
    runs = some_runs(org, 12)
    (low, weak, strong, high, flagged, critical, unsure, by_matches, sampled, asked, quiet, also) = runs
    set_evals(org, sample_share=1.0)
    finish(
        org,
        cell(unsure, 0.99, state="insufficient", reason="too_few_runs"),
        cell(flagged, 0.95, risk="high"),
        cell(low, 0.9, risk="low", confirmed=True),
        cell(sampled, 0.1, risk="low"),
        cell(weak, 0.55, confirmed=True),
        cell(critical, 0.6),
        cell(high, 0.99, risk="high", confirmed=True),
        cell(strong, 0.8, confirmed=True),
        cell(by_matches, 0.2, confirmed=True, reason="match_rate"),
        cell(quiet, 0.1, matched=(False,)),
    )
    finish(org, cell(also, 0.8, confirmed=True))
    org.ok(org.post(ITEMS, {"run_id": asked}))
    expected = [strong, also, weak, by_matches, high, low, asked, critical, flagged, unsure, sampled]
    assert places(org) == places(org, status="open") == expected
    found: list[int] = []
    page = org.ok(org.get(ITEMS, params={"limit": 2}))
    while True:
        assert page["open"] == len(expected) - len(found) // 2
        found += [item["run_id"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        decide(
            org, page["items"][0]["id"], "true_positive"
        )  # what is decided between two pages moves nothing
        page = org.ok(org.get(ITEMS, params={"limit": 2, "cursor": page["next_cursor"], "status": "open"}))
    assert found == expected


@pytest.mark.both_databases
def test_items_are_found_by_what_they_are_of(org: Org) -> None:
    one, two, three, four, asked = some_runs(org, 5)
    set_evals(org, sample_share=1)
    first = finish(org, cell(one, confirmed=True), cell(two, risk="high", variation_type="sycophancy"))
    second = finish(org, cell(three, 0.1), cell(four, confirmed=True, risk="low"))
    org.ok(org.post(ITEMS, {"run_id": asked}))
    agent = org.ok(org.get("/api/v1/eval/runs"))["items"][0]["agent_id"]
    assert places(org, matrix_id=first) == [one, two]
    assert places(org, matrix_id=second, source="flag") == [four]
    assert places(org, source="sample") == [three]
    assert places(org, source="manual") == places(org, agent_id=agent) == [asked]
    assert places(org, agent_id=4_100_000, confirmed="true") == [one, four]
    assert places(org, agent_id=4_100_000, confirmed="false") == [two, three]
    assert places(org, risk_level="high") == places(org, variation_type="sycophancy") == [two]
    assert places(org, variation_type="baseline") == places(org, run_id=asked) == [asked]
    assert places(org, matrix_id=new_uuid()) == []
    for item in queue(org, confirmed="true"):
        decide(org, item["id"], "defect_found" if item["run_id"] == one else "false_positive")
    assert places(org, status="decided") == [four, one]
    assert places(org, verdict="defect_found") == [one]
    assert places(org, status="open") == [asked, two, three]
    page = org.ok(org.get(ITEMS, params={"status": "decided", "limit": 1}))
    assert places(org, status="decided", cursor=page["next_cursor"]) == [one]
    assert page["open"] == 3


@pytest.mark.both_databases
def test_finishing_twice_adds_nothing(org: Org) -> None:
    flagged, sampled = some_runs(org, 2)
    set_evals(org, sample_share=1)
    cells = cell(flagged, confirmed=True), cell(sampled, 0.1)
    matrix_id = new_uuid()
    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(finish, org, *cells, matrix_id=matrix_id) for _ in range(4)]:
            done.result()
    first = queue(org)
    assert [item["run_id"] for item in first] == [flagged, sampled]
    decide(org, first[0]["id"], "true_positive")
    finish(org, *cells, matrix_id=matrix_id)
    assert places(org) == [flagged, sampled]


@pytest.mark.both_databases
def test_the_share_of_samples_is_the_organisations_own(org: Org, other_org: Org) -> None:
    runs = some_runs(org, 40)
    cells = [cell(run_id, 0.1) for run_id in runs]
    finish(org, *cells)
    drawn = places(org, source="sample")
    assert len(drawn) == 2
    set_evals(org, sample_share=0.25)
    finish(org, *cells)
    assert set(drawn) < set(places(org, source="sample"))
    assert len(places(org)) == 10
    set_evals(other_org, sample_share=0)
    theirs = some_runs(other_org, 40)
    finish(other_org, *(cell(run_id, 0.1) for run_id in theirs))
    assert places(other_org) == []


@pytest.mark.both_databases
def test_an_item_keeps_its_own_threshold(org: Org) -> None:
    (run_id,) = some_runs(org, 1)
    finish(org, cell(run_id, 0.6))
    set_evals(org, thresholds={"critical": 0.9})
    (item,) = queue(org)
    assert (item["threshold"], item["risk_level"], item["shift"]) == (0.5, "critical", 0.6)
    figures = org.ok(org.get("/api/v1/review/figures"))
    assert [each["present"] for each in figures["thresholds"]] == [0.9, 0.55, 0.6, 0.65]


def test_a_cell_without_a_run_to_show_makes_no_item(org: Org) -> None:
    finish(org, cell(None, 0.9))
    assert queue(org) == []


def test_anothers_item_is_not_there(org: Org, other_org: Org) -> None:
    (run_id,) = some_runs(org, 1)
    finish(org, cell(run_id, confirmed=True))
    (item,) = queue(org)
    assert queue(other_org) == []
    assert other_org.ok(other_org.get(ITEMS))["open"] == 0
    assert refusal(other_org.get(f"{ITEMS}/{item['id']}")) == (404, "not_found")
    refused = other_org.post(f"{ITEMS}/{item['id']}/verdict", {"verdict": "true_positive"})
    assert refusal(refused) == (404, "not_found")
    assert queue(org) == [item]
