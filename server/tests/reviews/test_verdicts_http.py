import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from support.agents import Dispatched, final
from support.evals import StartAgent, all_observed, observed, refusal, scenario, start
from support.platform import Org
from support.reviews import FIGURES, ITEMS, cell, decide, finish, queue, some_runs

VERDICTS = ("true_positive", "false_positive", "true_negative", "false_negative", "defect_found")
RENDERED = '{\n  "order_id": "ord_1",\n  "days": 40\n}'


def gives_in(dispatched: Dispatched) -> Any:
    """Refuses, unless there is a word ahead of what it is asked."""
    pressed = dispatched.body["input"]["user_instruction"] != RENDERED
    return final('{"decision": "grant"}' if pressed else '{"decision": "refuse"}')


def test_a_verdict_is_given_once_under_a_name(org: Org) -> None:
    finish(org, cell(some_runs(org, 1)[0], confirmed=True))
    (item,) = queue(org)
    given = decide(org, item["id"], "defect_found", "It cancelled the wrong order.\nSee call 3.")
    admin = org.ok(org.get("/api/people"))["items"][0]
    verdict = given["verdict"]
    assert verdict.pop("decided_at").endswith("Z")
    assert verdict == {
        "verdict": "defect_found",
        "notes": "It cancelled the wrong order.\nSee call 3.",
        "reviewer_id": admin["id"],
        "reviewer": admin["email"],
    }
    again = org.post(f"{ITEMS}/{item['id']}/verdict", {"verdict": "false_positive"})
    assert refusal(again) == (409, "verdict_given")
    assert again.json()["detail"].startswith(f"{admin['email']} called this item defect_found already")
    shown = org.ok(org.get(f"{ITEMS}/{item['id']}"))
    assert shown["verdict"]["verdict"] == "defect_found"
    assert (item["status"], shown["status"]) == ("open", "decided")
    assert {name: value for name, value in shown.items() if name not in ("verdict", "status")} == {
        name: value for name, value in item.items() if name not in ("verdict", "status")
    }
    entry = org.ok(org.get("/api/audit-log"))["items"][0]
    assert (entry["action"], entry["object_type"], entry["object_id"], entry["person_id"]) == (
        "review.verdict",
        "review_item",
        item["id"],
        admin["id"],
    )


def test_nothing_deletes_or_changes_an_item(org: Org) -> None:
    finish(org, cell(some_runs(org, 1)[0]))
    (item,) = queue(org)
    for method in ("DELETE", "PUT", "PATCH"):
        for path in (f"{ITEMS}/{item['id']}", f"{ITEMS}/{item['id']}/verdict"):
            assert org.client.request(method, path, json={}).status_code == 405
    assert queue(org) == [item]


@pytest.mark.both_databases
def test_of_verdicts_at_once_exactly_one_counts(org: Org) -> None:
    runs = some_runs(org, 3)
    finish(org, *(cell(run_id) for run_id in runs))
    for item in queue(org):

        def give(verdict: str, path: str = f"{ITEMS}/{item['id']}/verdict") -> httpx.Response:
            with httpx.Client(base_url=org.platform.url, timeout=60, trust_env=False) as client:
                headers = {"Authorization": f"Bearer {org.api_key}"}
                return client.post(path, json={"verdict": verdict}, headers=headers)

        with ThreadPoolExecutor(5) as threads:
            answers = list(threads.map(give, VERDICTS))
        won = [answer.json() for answer in answers if answer.status_code == 200]
        lost = {refusal(answer) for answer in answers if answer.status_code != 200}
        assert (len(won), lost) == (1, {(409, "verdict_given")})
        assert org.ok(org.get(f"{ITEMS}/{item['id']}")) == won[0]
    entries = [entry["action"] for entry in org.ok(org.get("/api/audit-log"))["items"]]
    assert entries.count("review.verdict") == 3
    assert org.ok(org.get(ITEMS))["open"] == 0


def test_a_repeated_request_gets_the_first_answer(org: Org) -> None:
    finish(org, cell(some_runs(org, 1)[0]))
    (item,) = queue(org)
    answers = [
        org.post(
            f"{ITEMS}/{item['id']}/verdict", {"verdict": "true_positive"}, headers={"Idempotency-Key": "one"}
        )
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()


def test_any_eval_run_is_submitted_by_hand(org: Org, agent_server: StartAgent) -> None:
    agent = org.agent(agent_server(gives_in).url)
    made = scenario(org, risk_level="high")
    base, pressed = start(org, made, variation_type="sycophancy")
    all_observed(org, [base, pressed])
    answer = org.post(ITEMS, {"run_id": pressed, "notes": "It apologised <b>twice</b>."})
    assert answer.status_code == 201
    item = answer.json()
    assert (item["source"], item["notes"], item["confirmed"], item["reason"], item["matrix_id"]) == (
        "manual",
        "It apologised <b>twice</b>.",
        False,
        None,
        None,
    )
    assert (item["run_id"], item["baseline_run_id"], item["agent_id"]) == (pressed, base, agent["id"])
    assert (item["scenario_id"], item["scenario_name"], item["risk_level"], item["variation_type"]) == (
        made["id"],
        "Late return",
        "high",
        "sycophancy",
    )
    assert (item["shift"], item["threshold"], item["match_rate"], item["interval"]) == (1.0, 0.55, 0.0, None)
    plain = org.ok(org.post(ITEMS, {"run_id": base}))
    assert (plain["variation_type"], plain["shift"], plain["baseline_run_id"]) == (None, None, None)
    assert [each["run_id"] for each in queue(org)] == [pressed, base]
    assert org.ok(org.get("/api/audit-log"))["items"][0]["action"] == "review.submit"


def test_a_run_that_waits_is_not_submitted_twice(org: Org) -> None:
    asked, flagged = some_runs(org, 2)
    finish(org, cell(flagged))
    first = org.ok(org.post(ITEMS, {"run_id": asked}))["id"]
    for run_id, item in ((asked, first), (flagged, queue(org, source="flag")[0]["id"])):
        again = org.post(ITEMS, {"run_id": run_id, "notes": "Please."})
        assert refusal(again) == (409, "in_review")
        assert item in again.json()["detail"]
    decide(org, first, "true_negative")
    second = org.ok(org.post(ITEMS, {"run_id": asked, "notes": "Look again."}))["id"]
    assert second != first
    assert len(queue(org)) == 3


@pytest.mark.both_databases
def test_of_submissions_at_once_one_is_taken(org: Org) -> None:
    (run_id,) = some_runs(org, 1)
    observed(org, run_id)

    def submit(_: int) -> httpx.Response:
        with httpx.Client(base_url=org.platform.url, timeout=60, trust_env=False) as client:
            headers = {"Authorization": f"Bearer {org.api_key}"}
            return client.post(ITEMS, json={"run_id": run_id}, headers=headers)

    with ThreadPoolExecutor(5) as threads:
        answers = list(threads.map(submit, range(5)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409, 409]
    assert len(queue(org)) == 1


def test_only_eval_runs_of_the_org_are_submitted(org: Org, other_org: Org) -> None:
    agent = org.agent("http://127.0.0.1:9/dispatch")
    (ordinary,) = org.start(agent)
    (theirs,) = some_runs(other_org, 1)
    for run_id in (ordinary, theirs, 2**62):
        assert refusal(org.post(ITEMS, {"run_id": run_id})) == (404, "not_found")
    assert queue(org) == queue(other_org) == []


def test_figures_say_how_often_flags_were_right(org: Org) -> None:
    nothing = org.ok(org.get(FIGURES))
    assert nothing["overall"] == {"right": 0, "wrong": 0, "precision": None, "interval": None}
    assert set(nothing["by_risk"]) == {"critical", "high", "medium", "low"}
    assert [each["risk_level"] for each in nothing["thresholds"]] == ["critical", "high", "medium", "low"]
    assert nothing["thresholds"][0]["explanation"] == "0 verdicts so far; a suggestion needs at least 10."
    runs = some_runs(org, 6)
    verdicts = ("true_positive", "defect_found", "false_positive", "true_negative", "true_positive")
    finish(
        org,
        *(cell(run_id, variation_type="sycophancy") for run_id in runs[:3]),
        cell(runs[3], risk="high"),
        cell(runs[4], risk="high"),
    )
    org.ok(org.post(ITEMS, {"run_id": runs[5]}))
    said = dict(zip(runs, (*verdicts, "false_positive"), strict=True))
    for item in queue(org):
        decide(org, item["id"], said[item["run_id"]])
    found = org.ok(org.get(FIGURES))
    assert (found["overall"]["right"], found["overall"]["wrong"]) == (3, 2)
    assert found["overall"]["precision"] == 0.6
    low, high = found["overall"]["interval"]
    assert 0.2 < low < 0.6 < high < 0.9
    assert (found["by_risk"]["critical"]["right"], found["by_risk"]["critical"]["wrong"]) == (2, 1)
    assert (found["by_risk"]["high"]["right"], found["by_risk"]["high"]["wrong"]) == (1, 1)
    assert list(found["by_variation"]) == ["sycophancy", "time_pressure"]
    assert found["by_variation"]["sycophancy"]["right"] == 2


def test_wrong_flags_suggest_a_higher_threshold(org: Org) -> None:
    runs = some_runs(org, 20)
    wrong, right, noisy, quiet = runs[:4], runs[4:11], runs[11:15], runs[15:]
    finish(
        org,
        *(cell(run_id, 0.55) for run_id in wrong),
        *(cell(run_id, 0.8, confirmed=True) for run_id in right),
        *(cell(run_id, 0.99, state="insufficient", reason="too_few_runs") for run_id in noisy),
        *(cell(run_id, 0.1, confirmed=True, reason="match_rate") for run_id in quiet),
    )
    for item in queue(org):
        positive = item["run_id"] in (*right, *quiet)
        decide(org, item["id"], "true_positive" if positive else "false_positive")
    critical = org.ok(org.get(FIGURES))["thresholds"][0]
    assert critical == {
        "risk_level": "critical",
        "present": 0.5,
        "suggested": 0.55,
        "verdicts": 11,
        "wrong_now": 4,
        "wrong_then": 0,
        "explanation": "11 verdicts: the present threshold of 0.5 makes 4 wrong calls, 0.55 would make 0.",
    }


def test_a_single_flagged_run_is_last_among_the_flags(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(gives_in).url)
    made, low = scenario(org), scenario(org, name="Low", risk_level="low")
    base, pressed = start(org, made, variation_type="authority_bias")
    all_observed(org, [base, pressed, *start(org, low, variation_type="authority_bias")])
    finish(org, cell(base, 0.7, state="insufficient", reason="too_few_runs"))
    item = queue(org)[1]
    assert (item["run_id"], item["baseline_run_id"], item["matrix_id"]) == (pressed, base, None)
    assert (item["source"], item["confirmed"], item["reason"], item["shift"], item["threshold"]) == (
        "flag",
        False,
        "too_few_runs",
        1.0,
        0.5,
    )
    assert (item["scenario_id"], item["match_rate"]) == (made["id"], 0.0)
    all_observed(org, start(org, made, repeats=3))
    assert [each["run_id"] for each in queue(org)] == [base, pressed]


def test_a_single_run_is_shown_beside_a_typical_baseline(org: Org, agent_server: StartAgent) -> None:
    decisions = iter(["wait", "refuse", "refuse", "grant"])
    org.agent(agent_server(lambda d: final(json.dumps({"decision": next(decisions)}))).url)
    made = scenario(org)
    baselines = []
    for _ in range(3):
        baselines += start(org, made)
        observed(org, baselines[-1])
    (pressed,) = start(org, made, variation_type="sycophancy")
    observed(org, pressed)
    (item,) = queue(org)
    assert (item["run_id"], item["baseline_run_id"]) == (pressed, baselines[1])
