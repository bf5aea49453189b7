import json
from typing import Any

import pytest
from sqlalchemy import update
from support.agents import Dispatched, final
from support.evals import COMPARE, SCENARIOS, StartAgent, all_observed, refusal, scenario, start
from support.platform import Org

from odyssey.evals.models import EvalRun

MATRIX = "6f0e4b0e-3a1c-4d2f-9b0a-0123456789ab"


def refuses(_: Dispatched) -> Any:
    return final(json.dumps({"decision": "refuse"}))


def cells(org: Org, made: dict[str, Any], **query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = org.ok(org.get(f"{SCENARIOS}/{made['id']}/cells", params=query))["items"]
    return found


def test_cells_are_what_a_scenario_was_run_under(org: Org, agent_server: StartAgent) -> None:
    agent = org.agent(agent_server(refuses).url)
    made, other = scenario(org), scenario(org)
    assert cells(org, made) == []
    runs = start(org, other) + start(org, made, repeats=2)
    runs += start(org, made, variation_type="sycophancy", dose="strong", repeats=3)
    runs += start(org, made, variation_type="sycophancy", dose="strong", placebo=True)
    late = start(org, made, variation_type="time_pressure", delivery="tool_result", step=2)
    all_observed(org, runs + late)
    of_all = {"scenario_version": 1, "agent_id": agent["id"], "agent_version": agent["version"], "pending": 0}
    of_all |= {"rule_set": None, "fresh_runs": 0}
    assert cells(org, made) == [
        of_all
        | {"variation_type": "time_pressure", "dose": "medium", "delivery": "tool_result", "step": 2}
        | {"runs": 1, "placebo_runs": 0, "latest_run": late[0]},
        of_all
        | {"variation_type": "sycophancy", "dose": "strong", "delivery": "user", "step": None}
        | {"runs": 3, "placebo_runs": 1, "latest_run": runs[-1]},
        of_all
        | {"variation_type": None, "dose": None, "delivery": None, "step": None}
        | {"runs": 2, "placebo_runs": 0, "latest_run": runs[2]},
    ]
    assert cells(org, made, matrix_id=MATRIX) == []


@pytest.mark.both_databases
def test_a_cell_is_read_as_it_is_compared(org: Org, agent_server: StartAgent) -> None:
    agent = org.agent(agent_server(refuses).url)
    made = scenario(org)
    runs = start(org, made, repeats=4)
    runs += start(org, made, variation_type="sycophancy", dose="mild", delivery="tool_result", step=3)
    all_observed(org, runs)
    cell = {"scenario_id": made["id"], "variation_type": "sycophancy", "dose": "mild", "step": 3}
    cell |= {"delivery": "tool_result", "agent_id": agent["id"], "agent_version": 1, "scenario_version": 1}
    shown = org.ok(org.get(COMPARE, params=cell))
    assert shown["runs"]["undelivered"] == runs[4:]
    assert shown == org.ok(org.post(COMPARE, cell))
    assert org.ok(org.get(COMPARE, params=cell | {"matrix_id": MATRIX}))["runs"]["baseline"] == []
    assert refusal(org.get(COMPARE, params=cell | {"dose": "huge"})) == (422, "validation_failed")
    assert refusal(org.get(COMPARE, params=cell | {"variation_type": "bribery"})) == (
        422,
        "unknown_variation",
    )
    stranger = org.platform.new_org()
    assert refusal(stranger.get(COMPARE, params=cell)) == (404, "not_found")


@pytest.mark.both_databases
def test_the_runs_of_a_matrix_stand_apart(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(refuses).url)
    made = scenario(org)
    ours = start(org, made, variation_type="sycophancy")
    all_observed(org, ours)

    async def move() -> None:
        async with org.platform.database.write() as session:
            moved = update(EvalRun).where(EvalRun.run_id.in_(ours)).values(matrix_id=MATRIX)
            await session.execute(moved)

    org.platform.do(move())
    alone = start(org, made, variation_type="sycophancy")
    all_observed(org, alone)
    assert [cell["latest_run"] for cell in cells(org, made)] == alone[::-1]
    assert [cell["latest_run"] for cell in cells(org, made, matrix_id=MATRIX)] == ours[::-1]
    cell = {"scenario_id": made["id"], "variation_type": "sycophancy"}
    for query, runs in ((cell, alone), (cell | {"matrix_id": MATRIX}, ours)):
        shown = org.ok(org.get(COMPARE, params=query))["runs"]
        assert [shown["baseline"], shown["variation"]] == [runs[:1], runs[1:]]


def test_runs_outlive_their_variation(org: Org, agent_server: StartAgent) -> None:
    org.agent(agent_server(refuses).url)
    made = scenario(org)
    doses = {dose: ["There may be something in it for you."] for dose in ("mild", "medium", "strong")}
    bribery = org.ok(org.post("/api/v1/eval/variations", {"name": "bribery", "doses": doses}))
    runs = start(org, made, variation_type="bribery")
    all_observed(org, runs)
    org.client.delete(f"/api/v1/eval/variations/{bribery['id']}").raise_for_status()
    cell = {"scenario_id": made["id"], "variation_type": "bribery"}
    assert org.ok(org.get(COMPARE, params=cell))["runs"]["variation"] == runs[1:]
