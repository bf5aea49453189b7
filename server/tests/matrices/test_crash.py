"""A server killed in the middle of a matrix comes to the same, byte for byte, as one that was left alone."""

import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent
from support.experiments import MATRIX, body_of, weak_at
from support.installation import Installation

from odyssey.evals.variations.catalogue import CATALOGUE

StartAgent = Callable[[Behaviour], ScriptedAgent]

RUNS = 200


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    installation = Installation(tmp_path)
    yield installation
    installation.kill()


class Agent:
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


def start(installation: Installation, endpoint_url: str) -> str:
    installation.agent(endpoint_url)
    ids = installation.cases(*(f"case {number}" for number in range(5)))
    planned = installation.post(MATRIX, body_of(ids, *CATALOGUE, repeats=4, baseline_repeats=12))
    assert planned["planned_runs"] == RUNS
    matrix_id: str = planned["id"]
    return matrix_id


def survives(installation: Installation, agent_server: StartAgent, kills: int) -> None:
    agent = Agent()
    server = agent_server(agent)
    first = start(installation, server.url)
    undisturbed = installation.finished(first)
    assert b'"confirmed":2' in undisturbed.summary
    assert len(undisturbed.runs) == RUNS
    for point in random.sample(range(1, RUNS + 1), kills):
        agent.count_down(point)
        matrix_id = installation.post(f"{MATRIX}/{first}/rerun")["id"]
        assert agent.reached.wait(240), point
        installation.kill()
        installation.start()
        result = installation.finished(matrix_id)
        assert result.summary == undisturbed.summary, f"killed after {point} answers"
        assert result.cells == undisturbed.cells, f"killed after {point} answers"
        assert len(result.runs) == RUNS
        assert not set(result.runs) & set(undisturbed.runs)


def test_a_matrix_survives_a_kill(installation: Installation, agent_server: StartAgent) -> None:
    survives(installation, agent_server, kills=1)


@pytest.mark.full
def test_a_matrix_survives_kills_at_five_points(installation: Installation, agent_server: StartAgent) -> None:
    survives(installation, agent_server, kills=5)
