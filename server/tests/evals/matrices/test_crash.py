"""A server killed in the middle of a matrix comes to the same, byte for byte, as one that was left alone."""

import random
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent
from support.evals import SCENARIO, SCENARIOS
from support.experiments import MATRIX, body_of, weak_at
from support.process import ServerProcess

from odyssey.evals.variations.catalogue import CATALOGUE

StartAgent = Callable[[Behaviour], ScriptedAgent]

KEY = "pk_live_" + "d" * 40
RUNS = 200


class Installation:
    """A data directory, and a server on it that may be killed and started again."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self.start()

    def start(self) -> None:
        self.server = ServerProcess(
            "--data",
            str(self._data),
            ODYSSEY_SECRET_KEY="a secret key for tests that kill servers",
            ODYSSEY_BOOTSTRAP_API_KEY=KEY,
            ODYSSEY_LEASE_SECONDS="1",
            ODYSSEY_LOG_LEVEL="warning",
        )
        self._client = httpx.Client(
            base_url=self.server.url, headers={"X-API-Key": KEY}, timeout=60, trust_env=False
        )

    def kill(self) -> None:
        self.server.kill()
        self._client.close()

    def post(self, path: str, body: Any = None) -> Any:
        return self._read(self._client.post(path, json=body))

    def get(self, path: str) -> Any:
        return self._read(self._client.get(path))

    def _read(self, answer: httpx.Response) -> Any:
        assert answer.status_code < 400, answer.text
        return answer.json()

    def finished(self, matrix_id: str) -> "Result":
        deadline = time.monotonic() + 240
        while (shown := self.get(f"{MATRIX}?limit=1")["items"][0])["status"] == "running":
            assert time.monotonic() < deadline, shown
            time.sleep(0.2)
        assert (shown["id"], shown["status"]) == (matrix_id, "completed")
        cells = self.get(f"{MATRIX}/{matrix_id}")["cells"]
        return Result(
            self._stored(matrix_id),
            [{name: value for name, value in cell.items() if name != "runs"} for cell in cells],
            sorted({run_id for cell in cells for kind in cell["runs"].values() for run_id in kind}),
        )

    def _stored(self, matrix_id: str) -> bytes:
        with closing(sqlite3.connect(self._data / "odyssey.db")) as database:
            query = "SELECT CAST(summary AS BLOB) FROM matrices WHERE id = ?"
            (stored,) = database.execute(query, [matrix_id]).fetchone()
        assert isinstance(stored, bytes)
        return stored


class Result(NamedTuple):
    summary: bytes
    cells: list[dict[str, Any]]
    runs: list[int]


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
    agent = installation.post("/api/agents", {"name": "agent", "config": {"endpoint_url": endpoint_url}})
    installation.post(f"/api/agents/{agent['id']}/publish")
    ids = [
        installation.post(SCENARIOS, SCENARIO | {"name": name, "input_context": {"case": name}})["id"]
        for name in (f"case {number}" for number in range(5))
    ]
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
