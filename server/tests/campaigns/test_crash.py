"""A server killed while many runs are made and go on: none is lost, none is made twice, every attempt is listed.

Batches and matrices share one loop, and so these tests: what is particular to each is what must be the same afterwards.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.experiments import MATRIX, body_of, weak_at
from support.installation import Installation

from odyssey.evals.variations.catalogue import CATALOGUE

StartAgent = Callable[[Behaviour], ScriptedAgent]

AT_ONCE = 16
GRADED_EVERY = 5
WAITING = 400
"""So many runs at most are made before there is room for them."""
FIRST_RUNS, FRESH_RUNS = 200, 64
"""Of a matrix with two weak cells in two rows: both are run again, with baselines of their rows."""


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    installation = Installation(tmp_path, ODYSSEY_MAX_RUNS=str(AT_ONCE))
    yield installation
    installation.kill()


def ended_batch(installation: Installation, batch_id: int) -> dict[str, Any]:
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        batch: dict[str, Any] = installation.get(f"/api/batches/{batch_id}")
        if batch["status"] == "completed" and not batch["verdicts"]["PENDING"]:
            return batch
        time.sleep(0.3)
    raise AssertionError(batch)


def runs_of_batch(installation: Installation, batch_id: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = installation.get(f"/api/runs?batch_id={batch_id}&limit=200{cursor}")
        found += page["items"]
        if page["next_cursor"] is None:
            return found
        cursor = f"&cursor={page['next_cursor']}"


def start_batch(installation: Installation, endpoint_url: str, count: int) -> int:
    agent_id = installation.agent(endpoint_url)
    rows: list[dict[str, Any]] = [{"user_instruction": f"row {number}"} for number in range(count)]
    for number in range(0, count, GRADED_EVERY):
        rows[number]["checks"] = [{"final_response": {"contains": f"row {number}"}}]
    dataset = installation.post("/api/datasets?name=rows", rows)
    batch = installation.post("/api/runs", {"agent_id": agent_id, "dataset_id": dataset["id"]})["batch"]
    batch_id: int = batch["id"]
    return batch_id


@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.full)])
def test_many_rows_survive_a_kill(installation: Installation, agent_server: StartAgent, count: int) -> None:
    midway, lock = threading.Event(), threading.Lock()
    answered = 0

    def behave(d: Dispatched) -> Any:
        nonlocal answered
        with lock:
            answered += 1
            if answered == count * 35 // 100:
                midway.set()
        return final(f"I did {d.body['input']['user_instruction']}.")

    server = agent_server(behave)
    batch_id = start_batch(installation, server.url, count)
    assert midway.wait(240)
    installation.kill()
    seen_before = len(server.received)
    installation.start()
    begun = installation.get(f"/api/batches/{batch_id}")
    assert 0 < begun["runs"]["completed"] < count
    killed_while_runs_were_being_made = begun["made_runs"] < count
    assert killed_while_runs_were_being_made == (count > WAITING)
    batch = ended_batch(installation, batch_id)

    assert batch["runs"]["completed"] == batch["made_runs"] == count
    graded = count // GRADED_EVERY
    assert batch["verdicts"] == {"PASS": graded, "FAIL": 0, "PENDING": 0, "NOT APPLICABLE": count - graded}
    runs = runs_of_batch(installation, batch_id)
    assert len({run["id"] for run in runs}) == count
    assert sorted(run["row"] for run in runs) == list(range(count))
    assert all(run["final_response"] == f"I did row {run['row']}." for run in runs)

    attempts = {run["id"]: [each["outcome"] for each in run["attempts"]] for run in runs}
    for outcomes in attempts.values():
        assert outcomes == ["lost"] * (len(outcomes) - 1) + ["completed"]
    lost = {run_id: outcomes for run_id, outcomes in attempts.items() if len(outcomes) > 1}
    assert len(lost) <= AT_ONCE

    # The agent's own count: every attempt at most once, each last attempt exactly once, and what it saw beyond one per
    # row are attempts that are listed as lost.
    reached = Counter(
        (one.body["run_id"], int(one.headers["x-pipelines-attempt"])) for one in server.received
    )
    assert set(reached.values()) == {1}
    listed = {(run_id, n + 1) for run_id, outcomes in attempts.items() for n in range(len(outcomes))}
    assert reached.keys() <= listed
    assert {(run_id, len(outcomes)) for run_id, outcomes in attempts.items()} <= reached.keys()
    again = [key for key in reached if key[1] < len(attempts[key[0]])]
    assert len(server.received) == count + len(again)
    assert {run_id for run_id, _ in again} <= lost.keys()
    assert seen_before < count
    assert len(server.pings) == 1


class WeakAgent:
    """Weak in two cells, always in the same way; it says when it has answered so many runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left = 0
        self.reached = threading.Event()

    def count_down(self, runs: int) -> None:
        self._left = runs
        self.reached.clear()

    def __call__(self, dispatched: Dispatched) -> Any:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                self.reached.set()
        return weak_at(("case 1", "sycophancy"), ("case 3", "time_pressure"))(dispatched)


def start_matrix(installation: Installation, endpoint_url: str) -> str:
    installation.agent(endpoint_url)
    ids = installation.cases(*(f"case {number}" for number in range(5)))
    planned = installation.post(MATRIX, body_of(ids, *CATALOGUE, repeats=4, baseline_repeats=12))
    assert planned["planned_runs"] == FIRST_RUNS
    matrix_id: str = planned["id"]
    return matrix_id


def survives(installation: Installation, agent_server: StartAgent, kills: int) -> None:
    """Kill it so often while its first runs go on, and so often while its fresh ones do."""
    agent = WeakAgent()
    server = agent_server(agent)
    first = start_matrix(installation, server.url)
    undisturbed = installation.finished(first)
    assert b'"confirmed":2' in undisturbed.summary
    assert len(undisturbed.runs) == FIRST_RUNS + FRESH_RUNS
    of_first = random.sample(range(1, FIRST_RUNS + 1), kills)
    of_fresh = random.sample(range(FIRST_RUNS + 1, FIRST_RUNS + FRESH_RUNS + 1), kills)
    for point in (*of_first, *of_fresh):
        agent.count_down(point)
        matrix_id = installation.post(f"{MATRIX}/{first}/rerun")["id"]
        assert agent.reached.wait(240), point
        installation.kill()
        installation.start()
        result = installation.finished(matrix_id)
        assert result.summary == undisturbed.summary, f"killed after {point} answers"
        assert result.cells == undisturbed.cells, f"killed after {point} answers"
        assert len(result.runs) == FIRST_RUNS + FRESH_RUNS
        assert not set(result.runs) & set(undisturbed.runs)


def test_a_matrix_survives_a_kill(installation: Installation, agent_server: StartAgent) -> None:
    survives(installation, agent_server, kills=1)


@pytest.mark.full
def test_a_matrix_survives_kills_at_five_points(installation: Installation, agent_server: StartAgent) -> None:
    survives(installation, agent_server, kills=5)
