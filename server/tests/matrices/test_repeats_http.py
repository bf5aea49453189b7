"""A run of a matrix that says nothing of the agent is repeated once, within the budget."""

from collections import Counter
from typing import Any

from support.agents import Dispatched, final
from support.evals import RUNS, StartAgent
from support.experiments import cases, cell_of, pressure_of, run_matrix
from support.platform import Org, Platform

REFUSE = '{"decision": "refuse"}'


def test_a_missing_run_is_repeated_once_and_the_budget_ends_that(
    platform: Platform, org: Org, agent_server: StartAgent
) -> None:
    asked = Counter[str | None]()

    def is_lost(dispatched: Dispatched) -> bool:
        pressure = pressure_of(dispatched)
        asked[pressure] += 1
        return pressure == "time_pressure" or (pressure == "sycophancy" and asked[pressure] <= 2)

    org.agent(agent_server(lambda d: final(REFUSE)).url)
    (made,) = cases(org, "late")

    def run(**members: Any) -> tuple[dict[str, Any], int]:
        asked.clear()
        with platform.cut_off(is_lost):
            matrix = run_matrix(
                org, [made], "sycophancy", "time_pressure", repeats=4, baseline_repeats=12, **members
            )
        runs = org.ok(org.get(RUNS, params={"matrix_id": matrix["id"], "limit": 200}))["items"]
        return matrix, len(runs)

    matrix, runs = run(max_concurrency=4)
    once, never = (cell_of(matrix, made, name) for name in ("sycophancy", "time_pressure"))
    assert (once["state"], once["runs"]["missing"], len(once["runs"]["variation"])) == ("measured", [], 4)
    assert (never["state"], len(never["runs"]["missing"])) == ("insufficient", 4)
    assert (matrix["progress"]["ended"], matrix["progress"]["missing"]) == (20, 4)
    assert runs == 20 + 2 + 4
    assert run(budget_runs=23)[1] == 23
