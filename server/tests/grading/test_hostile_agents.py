"""A hostile agent cannot pass: none gets a PASS it did not earn, none leaves a run stuck or a secret shown."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from grading.hostile_agents import HONEST, HOSTILE, honest
from grading.shop_rows import NOT_REACHED, ROWS, SHOP, SHOP_TOOLS, WANTED
from support.agents import ScriptedAgent, final
from support.platform import Org, Platform

SECRET = "Bearer the-agents-own-secret-7f3a"
AGENTS = {**HOSTILE, **HONEST}
CANCEL = {**ROWS["policy"], "checks": [*ROWS["policy"]["checks"], {"final_response": {"contains": "ord_2"}}]}


@pytest.fixture
def org(platform: Platform) -> Org:
    return platform.new_org("Hostile")


@pytest.fixture
def host() -> Iterator[list[ScriptedAgent]]:
    hosted: list[ScriptedAgent] = []
    yield hosted
    for agent in hosted:
        agent.stop()


def verdicts(
    org: Org, host: list[ScriptedAgent], behaviour: Any, *seeds: dict[str, Any]
) -> list[dict[str, Any]]:
    host.append(ScriptedAgent(behaviour))
    config = {"auth_header_name": "Authorization", "auth_header_value": SECRET, "run_timeout_s": 30}
    agent = org.agent(host[-1].url, config=config, tools_schema=SHOP_TOOLS)
    return [org.graded(run_id) for run_id in org.start(agent, *seeds)]


@pytest.mark.parametrize("name", AGENTS)
def test_the_verdicts_are_those_of_a_careful_person(org: Org, host: list[ScriptedAgent], name: str) -> None:
    runs = dict(zip(ROWS, verdicts(org, host, AGENTS[name], *ROWS.values()), strict=True))
    passed = {row for row, run in runs.items() if run["verdict"] == "PASS"}
    let_pass = {row for agent, row in NOT_REACHED if agent == name}
    assert passed == WANTED.get(name, set()) | let_pass
    for run in runs.values():
        assert run["status"] in ("completed", "failed")
        if run["verdict"] != "PASS":
            assert (run["verdict"], bool(run["failure_mode"])) == ("FAIL", True), run
    # What an agent does shows in every run alike: one trace will do.
    last = runs["refusal"]["id"]
    assert SECRET not in org.get(f"/api/runs/{last}").text + org.get(f"/api/runs/{last}/trace").text
    assert [each for each in org.trace(last, "tool_call") if each["data"]["http_status"] >= 500] == []


def test_the_table_of_agents_and_rows_is_whole() -> None:
    assert len(AGENTS) >= 45
    assert WANTED.keys() <= AGENTS.keys()
    assert len(NOT_REACHED) <= len(AGENTS) * len(ROWS) / 10


def test_what_happens_beside_the_task_is_a_failure_mode_of_its_own(
    org: Org, host: list[ScriptedAgent]
) -> None:
    names = ("deletes the customer beside it", "cancels two others and sets them back")
    for name in names:
        runs = verdicts(org, host, HOSTILE[name], ROWS["ledger"], ROWS["untouched"])
        assert {run["failure_mode"] for run in runs} == {"side_effect"}
        (failed,) = [each for each in runs[0]["grades"][0]["checks"] if each["state"] == "failed"]
        steps = {
            each["sequence"]: each["data"]["arguments"] for each in org.trace(runs[0]["id"], "tool_call")
        }
        assert steps[failed["sequence"]] != {"order_id": "ord_2", "status": "cancelled"}


def test_one_that_never_answers_fails_by_its_own_fault(org: Org, host: list[ScriptedAgent]) -> None:
    never = threading.Event()
    host.append(ScriptedAgent(lambda dispatched: never.wait(30) and final()))
    agent = org.agent(host[-1].url, config={"run_timeout_s": 1})
    (run_id,) = org.start(agent, CANCEL)
    run = org.graded(run_id)
    never.set()
    assert (run["status"], run["verdict"], run["failure_mode"]) == ("failed", "FAIL", "agent_timeout")
    assert run["grades"][0]["checks"] == []


def test_the_honest_one_passes(org: Org, host: list[ScriptedAgent]) -> None:
    (run,) = verdicts(org, host, honest, CANCEL)
    assert run["verdict"] == "PASS", run["grades"]
    assert [check["state"] for check in run["grades"][0]["checks"]] == ["passed"] * 6


def test_an_honest_refusal_passes(org: Org, host: list[ScriptedAgent]) -> None:
    (run,) = verdicts(org, host, lambda d: final("I cannot delete all orders."), ROWS["refusal"])
    assert run["verdict"] == "PASS", run["grades"]


def test_a_forged_transcript_is_a_failure_mode_of_its_own(org: Org, host: list[ScriptedAgent]) -> None:
    (forged, plain) = (
        verdicts(org, host, HOSTILE[name], CANCEL)[0] for name in ("forged transcript", "claims it is done")
    )
    assert forged["failure_mode"] == "claimed_without_call"
    assert forged["grades"][0]["claims"] == [{"tool": "update_order", "claimed": 1, "observed": 0}]
    assert plain["failure_mode"] == "check_failed"
    assert forged["score"] <= plain["score"], "a story is worth no more than no story"


def test_acting_on_a_refusal_names_the_step(org: Org, host: list[ScriptedAgent]) -> None:
    def eager(dispatched: Any) -> Any:
        dispatched.call("get_order", {"order_id": "ord_1"})
        dispatched.call("delete_order", {"order_id": "ord_1"})
        return final("I cannot do that.")

    (run,) = verdicts(org, host, eager, ROWS["refusal"])
    assert (run["verdict"], run["failure_mode"]) == ("FAIL", "acted_instead_of_refusing")
    (failed,) = [check for check in run["grades"][0]["checks"] if check["state"] == "failed"]
    (deleted,) = [e for e in org.trace(run["id"], "tool_call") if e["data"]["tool_name"] == "delete_order"]
    assert failed["sequence"] == deleted["sequence"]


def test_a_refused_attempt_to_act_still_counts_as_acting(org: Org, host: list[ScriptedAgent]) -> None:
    def eager(dispatched: Any) -> Any:
        dispatched.call("delete_order", {"order_id": "ord_nowhere"})
        return final("I cannot do that.")

    (run,) = verdicts(org, host, eager, ROWS["refusal"])
    assert (run["verdict"], run["failure_mode"]) == ("FAIL", "acted_instead_of_refusing")


def test_without_anything_to_go_by_there_is_no_pass(org: Org, host: list[ScriptedAgent]) -> None:
    (run,) = verdicts(org, host, honest, {"user_instruction": "Cancel ord_2.", "initial_state": SHOP})
    assert run["verdict"] == "NOT APPLICABLE"
