"""A data directory, and a server in a process of its own on it, which may be killed and started again."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from support.evals import SCENARIO, SCENARIOS
from support.experiments import MATRIX, without_runs
from support.process import ServerProcess

KEY = "pk_live_" + "d" * 40


class Result(NamedTuple):
    summary: bytes
    cells: list[dict[str, Any]]
    runs: list[int]


class Installation:
    """A data directory, and a server on it that may be killed and started again."""

    def __init__(self, data: Path, **settings: str) -> None:
        self._data, self._settings = data, settings
        self.start()

    def start(self) -> None:
        self.server = ServerProcess(
            "--data",
            str(self._data),
            ODYSSEY_SECRET_KEY="a secret key for tests that kill servers",
            ODYSSEY_BOOTSTRAP_API_KEY=KEY,
            ODYSSEY_LEASE_SECONDS="1",
            ODYSSEY_LOG_LEVEL="warning",
            **self._settings,
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

    def agent(self, endpoint_url: str, **members: Any) -> int:
        made = self.post(
            "/api/agents", {"name": "agent", "config": {"endpoint_url": endpoint_url}, **members}
        )
        self.post(f"/api/agents/{made['id']}/publish")
        agent_id: int = made["id"]
        return agent_id

    def cases(self, *names: str) -> list[str]:
        """Make a scenario for each name, which its runs show as `case`."""
        made = (SCENARIO | {"name": name, "input_context": {"case": name}} for name in names)
        return [self.post(SCENARIOS, body)["id"] for body in made]

    def finished(self, matrix_id: str) -> Result:
        deadline = time.monotonic() + 240
        while (shown := self.get(f"{MATRIX}?limit=1")["items"][0])["status"] == "running":
            assert time.monotonic() < deadline, shown
            time.sleep(0.2)
        assert (shown["id"], shown["status"]) == (matrix_id, "completed")
        cells = self.get(f"{MATRIX}/{matrix_id}")["cells"]
        return Result(
            self._stored(matrix_id),
            without_runs({"cells": cells}),
            sorted(
                {run_id for cell in cells for kind in cell["runs"].values() for run_id in kind}
                | {
                    run_id
                    for cell in cells
                    for stage in cell["stages"]
                    for run_id in (*stage["run_ids"], *stage["baseline_run_ids"])
                }
            ),
        )

    def _stored(self, matrix_id: str) -> bytes:
        with closing(sqlite3.connect(self._data / "odyssey.db")) as database:
            query = "SELECT CAST(summary AS BLOB) FROM matrices WHERE id = ?"
            (stored,) = database.execute(query, [matrix_id]).fetchone()
        assert isinstance(stored, bytes)
        return stored
