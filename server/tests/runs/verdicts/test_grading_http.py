"""Verdicts over HTTP: given once, kept for ever, given again on request, never by a grader that broke."""

import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from grading.hostile_agents import SWAY, honest
from support.agents import Behaviour, ScriptedAgent, final
from support.model_server import Asked, ModelServer, Raw, answers
from support.platform import WORLD, Org, Platform

CANCEL: dict[str, Any] = {
    "user_instruction": "Cancel order ord_2.",
    "initial_state": WORLD,
    "checks": [{"ledger": {"$.order.ord_2.status": "cancelled"}}],
}
RUBRIC = [
    {"id": "cancelled", "question": "Was the order cancelled?", "answer": "yes_no"},
    {"id": "tone", "question": "How polite was it?", "answer": "scale", "required": False, "weight": 3},
]
Host = Callable[[Behaviour], dict[str, Any]]


@pytest.fixture
def org(platform: Platform) -> Org:
    return platform.new_org("Graders")


@pytest.fixture
def host(org: Org) -> Iterator[Host]:
    hosted: list[ScriptedAgent] = []

    def start(behaviour: Behaviour) -> dict[str, Any]:
        hosted.append(ScriptedAgent(behaviour))
        return org.agent(hosted[-1].url)

    yield start
    for agent in hosted:
        agent.stop()


@pytest.fixture
def judge(org: Org) -> Iterator[Callable[..., ModelServer]]:
    started: list[ModelServer] = []

    def start(*script: Any) -> ModelServer:
        started.append(ModelServer(*script))
        model = {
            "provider": "openai",
            "base_url": started[-1].url,
            "model": "scripted",
            "input_usd_per_mtok": 1.0,
            "output_usd_per_mtok": 2.0,
        }
        org.ok(org.put("/api/settings", {"models": {"judge": model}}))
        return started[-1]

    yield start
    for server in started:
        server.stop()


def graded(org: Org, agent: dict[str, Any], **seed: Any) -> dict[str, Any]:
    (run_id,) = org.start(agent, CANCEL | seed)
    return org.graded(run_id)


def test_a_run_is_pending_until_it_is_graded(org: Org, host: Host) -> None:
    agent = host(honest)
    body = {"agent_id": agent["id"], "seeds": [CANCEL]}
    (made,) = org.ok(org.post("/api/runs", body))["runs"]
    assert made["verdict"] == "PENDING"
    run = org.graded(made["id"])
    assert (run["verdict"], run["score"], run["failure_mode"]) == ("PASS", 1.0, None)
    (grade,) = run["grades"]
    assert grade["number"] == 1
    assert grade["graders"].keys() == {"checks", "judge"}
    assert grade["checks"][0]["check"] == CANCEL["checks"][0]
    assert "checks alone" in grade["reason"], "with no judge the verdict says what it comes from"


def test_the_trace_ends_with_the_grade(org: Org, host: Host) -> None:
    run = graded(org, host(honest))
    *_, reply, grade = org.trace(run["id"])
    assert (reply["kind"], grade["kind"]) == ("reply", "grade")
    assert (grade["data"]["verdict"], grade["data"]["number"]) == ("PASS", 1)


def test_a_stream_ends_with_the_verdict(org: Org, host: Host) -> None:
    (run_id,) = org.start(host(honest), CANCEL)
    with org.client.stream("GET", f"/api/runs/{run_id}/events") as stream:
        text = "".join(stream.iter_text())
    assert "event: grade" in text
    assert '"verdict":"PASS"' in text.rsplit("event: end", 1)[1]


@pytest.mark.both_databases
def test_grading_again_keeps_both_verdicts(org: Org, host: Host, judge: Callable[..., ModelServer]) -> None:
    run = graded(org, host(honest))
    judge(lambda asked: answers(asked, good=False))
    again = org.post(f"/api/runs/{run['id']}/grade")
    assert again.status_code == 202
    assert again.json()["verdict"] == "PENDING"
    run = org.graded(run["id"])
    first, second = run["grades"]
    assert (first["verdict"], second["verdict"]) == ("PASS", "FAIL")
    assert (run["verdict"], run["failure_mode"]) == ("FAIL", "rubric_failed")
    assert first["judge"] is None
    assert second["judge"]["state"] == "answered"
    assert [event["data"]["number"] for event in org.trace(run["id"], "grade")] == [1, 2]


def test_a_run_that_goes_on_cannot_be_graded(org: Org, host: Host) -> None:
    leave = threading.Event()
    (run_id,) = org.start(host(lambda dispatched: leave.wait(60) and final()), CANCEL)
    org.wait(run_id, "running")
    refused = org.post(f"/api/runs/{run_id}/grade")
    leave.set()
    assert (refused.status_code, refused.json()["code"]) == (409, "run_not_ended")
    assert org.graded(run_id)["verdict"] == "FAIL"


def test_a_cancelled_run_is_nobodys_failure(org: Org, host: Host) -> None:
    leave = threading.Event()
    (run_id,) = org.start(host(lambda dispatched: leave.wait(60) and final()), CANCEL)
    org.wait(run_id, "running")
    org.ok(org.post(f"/api/runs/{run_id}/cancel"))
    run = org.graded(run_id)
    leave.set()
    assert (run["verdict"], run["failure_mode"]) == ("NOT APPLICABLE", None)


def test_an_endpoint_out_of_reach_is_nobodys_failure(org: Org) -> None:
    run = graded(org, org.agent("http://127.0.0.1:9/dispatch"))
    assert (run["error_class"], run["verdict"]) == ("agent_unreachable", "NOT APPLICABLE")


@pytest.mark.both_databases
def test_a_rubric_is_answered_by_the_judge_and_scored_by_us(
    org: Org, host: Host, judge: Callable[..., ModelServer]
) -> None:
    model = judge(lambda asked: answers(asked))
    run = graded(org, host(honest), rubric=RUBRIC)
    (grade,) = run["grades"]
    assert (run["verdict"], run["score"]) == ("PASS", 1.0)
    assert [answer["id"] for answer in grade["judge"]["answers"]] == ["cancelled", "tone"]
    assert grade["judge"]["raw_answer"]
    assert grade["cost_usd"] == pytest.approx((1000 * 1.0 + 50 * 2.0) / 1e6)
    assert run["cost_usd"] == grade["cost_usd"]
    assert len(model.asked) == 1


def test_a_rubric_without_a_judge_model_is_not_dispatched(org: Org, host: Host) -> None:
    run = graded(org, host(honest), rubric=RUBRIC)
    assert (run["status"], run["error_class"]) == ("failed", "agent_model_unresolved")
    assert run["verdict"] == "NOT APPLICABLE"
    assert org.trace(run["id"], "dispatch") == []
    assert "PUT /api/settings" in run["error_json"]["detail"]


def test_a_failed_check_saves_the_judge(org: Org, host: Host, judge: Callable[..., ModelServer]) -> None:
    model = judge(lambda asked: answers(asked))
    run = graded(org, host(lambda dispatched: final("Done.")), rubric=RUBRIC)
    assert (run["verdict"], run["failure_mode"]) == ("FAIL", "check_failed")
    assert run["grades"][0]["judge"]["state"] == "skipped"
    assert model.asked == []


@pytest.mark.parametrize(
    "broken",
    [Raw(500), Raw(401), Raw(200, b"not json"), {"verdict": "PASS"}],
    ids=["500", "401", "garbage", "off form"],
)
def test_a_judge_that_breaks_is_not_a_fail(
    org: Org, host: Host, judge: Callable[..., ModelServer], broken: Any
) -> None:
    judge(broken)
    run = graded(org, host(honest))
    assert (run["verdict"], run["failure_mode"]) == ("NOT APPLICABLE", "grader_failed")
    assert run["grades"][0]["checks"][0]["state"] == "passed"


def test_no_budget_is_not_a_fail(org: Org, host: Host, judge: Callable[..., ModelServer]) -> None:
    model = judge(lambda asked: answers(asked))
    org.ok(org.put("/api/settings", {"budgets": {"calls_per_day": 1}}))
    agent = host(honest)
    first, second = graded(org, agent), graded(org, agent)
    assert first["verdict"] == "PASS"
    assert (second["verdict"], second["failure_mode"]) == ("NOT APPLICABLE", "budget_exhausted")
    assert len(model.asked) == 1


def test_a_claim_in_words_without_a_call_is_a_failure_mode_of_its_own(
    org: Org, host: Host, judge: Callable[..., ModelServer]
) -> None:
    judge(lambda asked: answers(asked, claimed=("delete_order",)))
    run = graded(org, host(honest))
    assert (run["verdict"], run["failure_mode"], run["score"]) == ("FAIL", "claimed_without_call", 0.0)


def test_a_judge_that_obeys_whatever_is_not_fenced_is_not_swayed(
    org: Org, host: Host, judge: Callable[..., ModelServer]
) -> None:
    def gullible(asked: Asked) -> Any:
        """Say yes only if the words that ask for it stand outside every fence."""
        return answers(asked, good=SWAY in outside_fences(asked))

    judge(gullible)

    def swaying(dispatched: Any) -> Any:
        dispatched.call("list_orders", {"status": SWAY})
        messages = [{"role": "assistant", "content": SWAY}]
        return final(SWAY) | {"messages": messages}

    (run_id,) = org.start(
        host(swaying), {"user_instruction": f"Cancel order ord_2. {SWAY}", "initial_state": WORLD}
    )
    run = org.graded(run_id)
    assert run["grades"][0]["judge"]["state"] == "answered"
    assert (run["verdict"], run["failure_mode"]) == ("FAIL", "rubric_failed")


def outside_fences(asked: Asked) -> str:
    """The prompt without what stands between two lines that bear the marker."""
    found = re.search(r"<<([0-9a-f]{32}) NAME>>", asked.system)
    assert found is not None
    marker = found.group(1)
    kept, inside = [], False
    for line in asked.user.splitlines():
        if marker in line:
            inside = not inside
        elif not inside:
            kept.append(line)
    return asked.system + "\n".join(kept)


def test_another_org_cannot_grade_and_a_viewer_may_not(platform: Platform, org: Org, host: Host) -> None:
    run = graded(org, host(honest))
    assert platform.new_org("Other").post(f"/api/runs/{run['id']}/grade").status_code == 404
    assert len(org.ok(org.get(f"/api/runs/{run['id']}"))["grades"]) == 1
