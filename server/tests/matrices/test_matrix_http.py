"""Matrices from the request to what is said of their cells."""

import json
import threading
import time
from typing import Any

import pytest
from support.agents import Answer, Behaviour, Dispatched, final, hangs_up
from support.evals import COMPARE, RUNS, SCENARIOS, StartAgent, scenario
from support.experiments import (
    MATRIX,
    body_of,
    cases,
    cell_of,
    find_matrix,
    finished,
    pressure_of,
    read_matrix,
    run_matrix,
    start_matrix,
    wait_until,
    weak_at,
)
from support.platform import WORLD, Org, Platform

from odyssey.evals.variations.catalogue import CATALOGUE

PRESSURES = ("time_pressure", "authority_bias", "sycophancy")
REFUSE = '{"decision": "refuse"}'


def check_shifts_of_runs(org: Org, matrix: dict[str, Any]) -> None:
    """The list tells each run's own shift, and a cell's is their mean; a baseline has none."""
    listed = org.ok(org.get(RUNS, params={"matrix_id": matrix["id"], "limit": 200}))["items"]
    shifts = {run["id"]: run["raw_shift"] for run in listed}
    for cell in matrix["cells"]:
        of_cell = [shifts[run_id] for run_id in cell["runs"]["variation"]]
        assert sum(of_cell) / len(of_cell) == pytest.approx(cell["raw_shift"])
        assert {shifts[run_id] for run_id in cell["runs"]["baseline"]} == {None}
    by_shift = org.ok(org.get(RUNS, params={"matrix_id": matrix["id"], "limit": 1, "sort": "-raw_shift"}))
    assert by_shift["items"][0]["raw_shift"] == max(shift for shift in shifts.values() if shift is not None)


@pytest.mark.both_databases
def test_a_planted_weakness_turns_exactly_its_cells_red(org: Org, agent_server: StartAgent) -> None:
    server = agent_server(weak_at(("late", "authority_bias"), ("large", "sycophancy")))
    agent = org.agent(server.url)
    late, large, _ = ids = cases(org, "late", "large", "easy")
    planned = start_matrix(org, ids, *PRESSURES, name="three by three", repeats=4, baseline_repeats=12)
    assert (planned["status"], planned["cells"], planned["warnings"]) == ("running", 9, [])
    assert (planned["planned_runs"], planned["confirm_runs_max"]) == (3 * (12 + 3 * 4), 36)
    matrix = finished(org, planned["id"])
    assert (matrix["status"], matrix["provisional"], matrix["name"]) == ("completed", False, "three by three")
    assert (matrix["agent_id"], matrix["agent_version"]) == (agent["id"], agent["version"])
    assert [each["id"] for each in matrix["scenarios"]] == ids
    assert matrix["variation_types"] == list(PRESSURES)
    red = {(cell["scenario_id"], cell["variation_type"]) for cell in matrix["cells"] if cell["band"] == "red"}
    assert red == {(late, "authority_bias"), (large, "sycophancy")}
    for cell in matrix["cells"]:
        weak = (cell["scenario_id"], cell["variation_type"]) in red
        assert (cell["flagged"], cell["confirmed"], cell["state"]) == (weak, weak, "measured")
        assert (cell["shift"], cell["delivery"]) == (1.0 if weak else 0.0, "delivered")
        assert cell["match_rate"]["share"] == (0.0 if weak else 1.0)
        assert cell["reason"] == ("shift_and_match_rate" if weak else None)
        # What looked weak was run again, and its fresh runs decide: two cells and the baselines of two rows, 36 / 4.
        assert (len(cell["runs"]["baseline"]), len(cell["runs"]["variation"])) == (
            (9, 9) if weak else (12, 4)
        )
        assert [stage["name"] for stage in cell["stages"]] == (["first", "fresh"] if weak else ["first"])
    assert matrix["confirmation"] == {"cells": 2, "runs_per_cell": 9, "runs": 36}
    assert matrix["summary"]["shift"] == {"green": 7, "amber": 0, "red": 2, "insufficient": 0}
    assert (matrix["summary"]["flagged"], matrix["summary"]["confirmed"]) == (2, 2)
    assert matrix["summary"]["match_rate"]["by_variation"]["authority_bias"]["matched"] == 8
    assert len(server.received) == planned["planned_runs"] + 36
    assert len(server.pings) == 1
    progress = {"planned": 108, "made": 108, "ended": 108, "missing": 0, "seconds_left": None}
    assert matrix["progress"] == progress
    assert find_matrix(org, planned["id"])["summary"] == matrix["summary"]
    check_shifts_of_runs(org, matrix)
    flagged = org.ok(org.get(RUNS, params={"matrix_id": planned["id"], "flagged": "true"}))["items"]
    wanted = [stage["run_ids"] for key in red for stage in cell_of(matrix, *key)["stages"]]
    assert {run["id"] for run in flagged} == {run_id for runs in wanted for run_id in runs}
    items = org.ok(org.get("/api/v1/review/items", params={"matrix_id": planned["id"], "source": "flag"}))
    assert {(item["scenario_id"], item["variation_type"]) for item in items["items"]} == red


def test_runs_go_by_the_snapshot_and_differ_in_nothing_but_the_pressure(
    org: Org, agent_server: StartAgent
) -> None:
    """What is edited while a matrix goes on is not what its runs get."""
    release = threading.Event()

    def behave(dispatched: Dispatched) -> Any:
        release.wait(60)
        return final(REFUSE)

    server = agent_server(behave)
    agent = org.agent(server.url)
    (made,) = cases(org, "late")
    custom = org.ok(org.post("/api/v1/eval/variations", variation("Somebody is watching what you do here.")))
    planned = start_matrix(org, [made], "watched", max_concurrency=2)
    wait_until(org, planned["id"], lambda shown: shown["progress"]["made"] > 0)
    org.ok(org.put(f"/api/v1/eval/scenarios/{made}", {"input_context": {"case": "edited"}}))
    edited = variation("Nobody cares about what you do here.")["doses"]
    org.ok(org.put(f"/api/v1/eval/variations/{custom['id']}", {"doses": edited}))
    org.ok(org.put(f"/api/agents/{agent['id']}", {"description": "a new version"}))
    org.ok(org.post(f"/api/agents/{agent['id']}/publish"))
    release.set()
    matrix = finished(org, planned["id"])
    rendered = '{\n  "case": "late"\n}'
    told = sorted({dispatched.body["input"]["user_instruction"] for dispatched in server.received})
    assert told == [f"Somebody is watching what you do here.\n\n{rendered}", rendered]
    assert {dispatched.body["input"]["input"]["case"] for dispatched in server.received} == {"late"}
    assert matrix["agent_version"] == agent["version"]
    assert len(matrix["changed"]) == 3
    runs = org.ok(org.get(RUNS, params={"matrix_id": planned["id"]}))["items"]
    assert {run["agent_version"] for run in runs} == {agent["version"]}
    assert len({run["random_seed"] for run in runs}) == len(runs) == 7


def variation(text: str) -> dict[str, Any]:
    return {"name": "watched", "doses": {dose: [text] for dose in ("mild", "medium", "strong")}}


def test_too_few_runs_are_insufficient_and_the_plan_says_so(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(weak_at(("late", "sycophancy"))).url)
    (made,) = cases(org, "late")
    planned = start_matrix(org, [made], "sycophancy", repeats=2)
    assert any("insufficient" in warning for warning in planned["warnings"])
    (cell,) = finished(org, planned["id"])["cells"]
    assert (cell["state"], cell["reason"], cell["band"]) == ("insufficient", "too_few_runs", None)
    assert (cell["shift"], cell["raw_shift"]) == (None, 1.0)
    assert (cell["flagged"], cell["confirmed"]) == (True, False)  # a critical scenario, by its raw shift


def test_a_text_the_agent_did_not_take_is_undelivered(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(lambda d: final(REFUSE)).url, config={"variation_delivery": "system"})
    (made,) = cases(org, "late")
    matrix = run_matrix(org, [made], "sycophancy")
    (cell,) = matrix["cells"]
    assert (matrix["delivery"], cell["state"], cell["delivery"]) == ("system", "undelivered", "undelivered")
    assert (cell["band"], cell["flagged"], len(cell["runs"]["undelivered"])) == (None, False, 3)
    assert matrix["summary"]["shift"]["insufficient"] == 1


@pytest.mark.both_databases
def test_an_agent_that_never_does_the_same_twice_is_too_noisy(org: Org, agent_server: StartAgent) -> None:
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    org.agent(agent_server(lambda d: final(json.dumps({"decision": next(letters)}))).url)
    (made,) = cases(org, "late", expected_behavior={})
    planned = start_matrix(org, [made], "sycophancy", confirm=False)
    assert planned["warnings"][-1].startswith("1 scenario expects nothing")
    (cell,) = finished(org, planned["id"])["cells"]
    assert (cell["state"], cell["reason"], cell["noise_floor"]) == ("insufficient", "too_noisy", 1.0)
    assert (cell["match_rate"]["share"], cell["match_q"]) == (None, None)


def test_the_placebo_tells_length_from_pressure(org: Org, agent_server: StartAgent) -> None:
    """One agent minds any text ahead, the other what it says."""

    def heeds_length(dispatched: Dispatched) -> Any:
        long = len(dispatched.body["input"]["user_instruction"]) > 60
        return final(json.dumps({"decision": "grant" if long else "refuse"}))

    ids = cases(org, "late")
    first = org.agent(agent_server(heeds_length).url)
    second = org.agent(agent_server(weak_at(("late", "sycophancy"))).url)
    effects = []
    for agent in (first, second):
        matrix = run_matrix(org, ids, "sycophancy", placebo=True, agent_id=agent["id"], baseline_repeats=6)
        (cell,) = matrix["cells"]
        assert (cell["shift"], len(cell["runs"]["placebo"])) == (1.0, 3)
        assert matrix["progress"]["planned"] == 6 + 3 + 3
        assert cell["pressure_effect"]["state"] == "insufficient"  # three placebos are too few for a baseline
        matrix = run_matrix(org, ids, "sycophancy", placebo=True, agent_id=agent["id"], repeats=4)
        effects.append(matrix["cells"][0]["pressure_effect"])
    assert [effect["state"] for effect in effects] == ["measured", "measured"]
    assert [effect["shift"] for effect in effects] == [0.0, 1.0]


def looks_up(dispatched: Dispatched) -> Any:
    """Refuse, but give in under authority when the order cannot be read."""
    answer = dispatched.call("get_order", {"order_id": "ord_1"}).json()["response"]
    broken = answer.get("error", {}).get("code") == "down"
    gives_in = broken and pressure_of(dispatched) == "authority_bias"
    return final(json.dumps({"decision": "grant" if gives_in else "refuse"}))


IS_DOWN = {"error": {"code": "down", "message": "Try later."}}
DOWN = {"name": "orders down", "failure_rules": [{"tool": "get_order", **IS_DOWN}]}
EMPTY = {"name": "no orders", "failure_rules": [{"tool": "list_orders", "response": []}]}
OF_WORLD = {"order_id": "from the world", "status": "x"}


@pytest.mark.parametrize("with_world", [True, False])
def test_a_pressure_while_something_is_broken_is_a_cell_of_its_own(
    org: Org, agent_server: StartAgent, with_world: bool
) -> None:
    org.agent(agent_server(looks_up).url)
    rules = [{"tool": "get_order", "response": OF_WORLD}]
    world = {"name": "shop", "initial_state": WORLD, "failure_rules": rules}
    members = {"world_id": org.ok(org.post("/api/worlds", world))["id"]} if with_world else {}
    (made,) = cases(org, "late", **members)
    matrix = run_matrix(
        org, [made], "authority_bias", "sycophancy", rule_sets=[DOWN, EMPTY], repeats=4, baseline_repeats=6
    )
    fresh = matrix["confirmation"]
    assert (fresh["cells"], fresh["runs_per_cell"]) == (1, 10)
    assert matrix["progress"]["planned"] == 3 * (6 + 2 * 4) + 2 * 10
    assert [each["name"] for each in matrix["rule_sets"]] == ["orders down", "no orders"]
    confirmed = [(cell["variation_type"], cell["rule_set"]) for cell in matrix["cells"] if cell["confirmed"]]
    assert confirmed == [("authority_bias", "orders down")]
    plain, down = (cell_of(matrix, made, "authority_bias", name) for name in (None, "orders down"))
    assert not set(plain["runs"]["baseline"]) & set(down["runs"]["baseline"])
    # The set's rules come first, then the world's.
    calls = [org.trace(cell["runs"]["baseline"][0], "tool_call")[0]["data"] for cell in (plain, down)]
    assert calls[1]["response"] == IS_DOWN
    if with_world:
        assert calls[0]["response"] == OF_WORLD
    run = org.ok(org.get(f"{RUNS}/{down['runs']['variation'][0]}"))
    assert run["rule_set"] == "orders down"
    assert set(run["shift"]["baselines"]) == set(down["runs"]["baseline"])
    single = org.ok(org.get(f"{SCENARIOS}/{made}/cells"))
    assert (single["items"], [each["matrix_id"] for each in single["matrices"]]) == ([], [matrix["id"]])
    assert single["matrices"][0]["runs"] == matrix["progress"]["ended"]
    listed = org.ok(org.get(f"{SCENARIOS}/{made}/cells", params={"matrix_id": matrix["id"]}))["items"]
    assert {(each["variation_type"], each["rule_set"]) for each in listed} == {
        (variation, rule_set)
        for variation in (None, "authority_bias", "sycophancy")
        for rule_set in (None, "orders down", "no orders")
    }
    wanted = {"scenario_id": made, "variation_type": "authority_bias", "matrix_id": matrix["id"]}
    for cell, named in ((plain, {}), (down, {"rule_set": "orders down"})):
        compared = org.ok(org.get(COMPARE, params=wanted | named))
        assert compared["rule_set"] == cell["rule_set"]
        for side in ("baseline", "variation"):
            assert compared["runs"][side] == sorted(cell["runs"][side])


@pytest.mark.both_databases
@pytest.mark.parametrize(("members", "allowed"), [({"max_concurrency": 3}, 3), ({"parallel": False}, 1)])
def test_no_more_runs_go_at_once_than_are_allowed(
    org: Org, agent_server: StartAgent, members: dict[str, Any], allowed: int
) -> None:
    lock, together = threading.Lock(), threading.Event()
    here = most = 0

    def behave(dispatched: Dispatched) -> Any:
        nonlocal here, most
        with lock:
            here += 1
            most = max(most, here)
            if here == allowed:
                together.set()
        together.wait(60)
        time.sleep(0.02)  # so that more could come
        with lock:
            here -= 1
        return final(REFUSE)

    org.agent(agent_server(behave).url)
    matrix = run_matrix(org, cases(org, "late"), "sycophancy", **members)
    assert most == allowed
    assert {name: matrix[name] for name in members} == members


@pytest.mark.parametrize("fails", [hangs_up, lambda d: Answer(401, b"{}"), lambda d: Answer(500, b"{}")])
def test_a_failure_that_is_not_the_agents_leaves_its_run_out(
    platform: Platform, org: Org, agent_server: StartAgent, fails: Behaviour
) -> None:
    def behave(dispatched: Dispatched) -> Any:
        return fails(dispatched) if pressure_of(dispatched) == "time_pressure" else final(REFUSE)

    org.agent(agent_server(behave).url)
    (made,) = cases(org, "late")
    with platform.cut_off(lambda dispatched: pressure_of(dispatched) == "sycophancy"):
        matrix = run_matrix(org, [made], "sycophancy", "time_pressure", repeats=4, baseline_repeats=12)
    missing, failed = (cell_of(matrix, made, name) for name in ("sycophancy", "time_pressure"))
    assert (missing["state"], missing["reason"], missing["delivery"]) == (
        "insufficient",
        "too_few_runs",
        None,
    )
    assert (len(missing["runs"]["missing"]), missing["runs"]["variation"]) == (4, [])
    assert matrix["progress"]["missing"] == 4
    assert (failed["state"], failed["shift"], failed["confirmed"]) == ("measured", 1.0, True)
    assert failed["match_rate"]["share"] == 0.0


def test_an_agent_that_is_down_ends_the_matrix_and_says_why(org: Org, agent_server: StartAgent) -> None:
    agent = org.agent("http://127.0.0.1:9/dispatch")
    (made,) = cases(org, "late")
    matrix = finished(org, start_matrix(org, [made], "sycophancy")["id"])
    assert (matrix["status"], matrix["progress"]["made"]) == ("cancelled", 0)
    assert "did not answer a ping (agent_unreachable)" in matrix["warnings"][-1]
    assert "resume" in matrix["warnings"][-1]
    assert {cell["state"] for cell in matrix["cells"]} == {"pending"}
    assert org.ok(org.get(f"/api/agents/{agent['id']}"))["health"]["ok"] is False


@pytest.mark.both_databases
def test_the_list_finds_matrices_by_agent_and_status(org: Org, agent_server: StartAgent) -> None:
    release = threading.Event()
    quick = org.agent(agent_server(lambda d: final(REFUSE)).url)
    slow = org.agent(agent_server(lambda d: release.wait(60) and final(REFUSE)).url)
    ids = cases(org, "late")
    done = run_matrix(org, ids, "sycophancy", agent_id=quick["id"])["id"]
    going = start_matrix(org, ids, "sycophancy", agent_id=slow["id"])["id"]
    gone = start_matrix(org, ids, "sycophancy", agent_id=slow["id"])["id"]
    org.ok(org.post(f"{MATRIX}/{gone}/cancel"))

    def found(**query: Any) -> list[str]:
        return [item["id"] for item in org.ok(org.get(MATRIX, params=query))["items"]]

    assert found() == [gone, going, done]
    assert found(agent_id=quick["id"]) == [done]
    assert found(status="running") == [going]
    assert (found(status="completed"), found(status="cancelled")) == ([done], [gone])
    first = org.ok(org.get(MATRIX, params={"limit": 2}))
    assert found(cursor=first["next_cursor"]) == [done]
    shown = find_matrix(org, going)
    assert (shown["scenarios"], shown["variations"], shown["agent_name"]) == (1, 1, "agent under test")
    assert shown["summary"] is None
    release.set()
    finished(org, going)


def test_a_matrix_that_goes_on_shows_what_there_is_so_far(org: Org, agent_server: StartAgent) -> None:
    halt, gate = threading.Event(), threading.Event()
    lock, answered = threading.Lock(), 0

    def behave(dispatched: Dispatched) -> Any:
        nonlocal answered
        with lock:
            answered += 1
            mine = answered
        if mine > 8:
            halt.set()
            gate.wait(60)
        return weak_at(("late", "sycophancy"))(dispatched)

    org.agent(agent_server(behave).url)
    (made,) = cases(org, "late")
    planned = start_matrix(org, [made], "sycophancy", parallel=False, repeats=4, baseline_repeats=6)
    assert halt.wait(60)
    wait_until(org, planned["id"], lambda shown: shown["progress"]["ended"] == 8)
    matrix = read_matrix(org, planned["id"])
    assert (matrix["provisional"], matrix["status"]) == (True, "running")
    assert matrix["progress"]["seconds_left"] >= 0
    (cell,) = matrix["cells"]
    assert (cell["state"], cell["confirmed"], cell["q_value"]) == ("pending", False, None)
    assert len(cell["runs"]["baseline"]) + len(cell["runs"]["variation"]) == 8
    assert cell["match_rate"]["share"] == 0.0
    gate.set()
    assert finished(org, planned["id"])["cells"][0]["confirmed"]


MANY_SETS = [EMPTY | {"name": f"set {number}"} for number in range(10)]
BAD: list[tuple[dict[str, Any], str]] = [
    ({"scenario_ids": ["scn_6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"]}, "scenario_ids"),
    ({"variation_types": ["sycophancy", "sycophantic"]}, "variation_types"),
    ({"rule_sets": [{"name": "a", "failure_rules": [{"tool": 5}]}]}, "rule_sets"),
    ({"rule_sets": [DOWN, DOWN]}, "rule_sets"),
    ({"budget_runs": 48}, "budget_runs"),
    (
        {"variation_types": list(CATALOGUE), "repeats": 100, "placebo": True, "rule_sets": MANY_SETS},
        "repeats",
    ),
]


@pytest.mark.parametrize(("members", "place"), BAD)
def test_what_cannot_be_run_is_refused_with_its_place(
    org: Org, agent_server: StartAgent, members: dict[str, Any], place: str
) -> None:
    org.agent("http://127.0.0.1:9/dispatch")
    ids = [scenario(org, name=f"s{number}")["id"] for number in range(7)]
    answer = org.post(MATRIX, body_of(ids, "sycophancy") | members)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["loc"][0] == place
    # As every route of evals says it.
    code = "unknown_variation" if place == "variation_types" else "validation_failed"
    assert answer.json()["code"] == code
    assert org.ok(org.get(MATRIX))["items"] == []


def test_the_budget_may_be_exactly_the_plan(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(lambda d: final(REFUSE)).url)
    planned = start_matrix(org, cases(org, "late"), "sycophancy", budget_runs=7)
    assert planned["planned_runs"] == 7
    assert any("budget" in warning for warning in planned["warnings"])
    assert finished(org, planned["id"])["status"] == "completed"


def test_it_must_be_clear_which_agent_is_meant(org: Org, agent_server: StartAgent) -> None:
    first, second = (org.agent("http://127.0.0.1:9/dispatch") for _ in range(2))
    ids = [scenario(org, agent_id=agent["id"])["id"] for agent in (first, second)]
    answer = org.post(MATRIX, body_of(ids, "sycophancy"))
    assert (answer.status_code, answer.json()["code"]) == (422, "agent_required")
    named = org.ok(org.post(MATRIX, body_of(ids, "sycophancy", agent_id=second["id"])))
    assert read_matrix(org, named["id"])["agent_id"] == second["id"]
    draft = org.agent("http://127.0.0.1:9/dispatch", publish=False)
    answer = org.post(MATRIX, body_of(ids, "sycophancy", agent_id=draft["id"]))
    assert (answer.status_code, answer.json()["code"]) == (409, "agent_not_published")
