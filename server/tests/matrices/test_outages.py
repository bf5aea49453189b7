"""A matrix comes to the same, byte for byte, though our database goes away while its agent works."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.experiments import MATRIX, body_of, cases, pressure_of, without_runs
from support.installation import Installation
from support.outages import DatabaseWire, full_disk
from support.platform import TOOLS, Org, Platform
from support.postgres import Postgres, new_postgres_database
from support.waiting import wait_for

from odyssey.journal.platform_faults import PlatformFaults

StartAgent = Callable[[Behaviour], ScriptedAgent]
Outage = Callable[[], AbstractContextManager[None]]

DISTURBED_READ = 21
"""Of the 40 reads that a matrix of these tests takes."""


class Reads:
    """An agent whose decision is what its two reads come to; around one of all its reads there is an outage."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reads = 0
        self._outage: Outage = nullcontext

    def disturb(self, outage: Outage) -> None:
        with self._lock:
            self._reads, self._outage = 0, outage

    def __call__(self, dispatched: Dispatched) -> Any:
        statuses = [self._read(dispatched) for _ in range(2)]
        gives_in = pressure_of(dispatched) == "sycophancy"
        decision = "grant" if gives_in else "refuse"
        return final(json.dumps({"decision": decision if statuses == [200, 200] else "could not look"}))

    def _read(self, dispatched: Dispatched) -> int:
        with self._lock:
            self._reads += 1
            outage = self._outage if self._reads == DISTURBED_READ else nullcontext
        with outage():
            return dispatched.call("list_orders").status_code


def until_noticed(platform: Platform, begin: Callable[[], None], end: Callable[[], None]) -> Outage:
    """Make an outage that lasts until the server knows of a run that it has spoilt."""
    faults = platform.part(PlatformFaults)

    def wait_and_end() -> None:
        wait_for(lambda: len(faults.pending), lambda pending: pending > 0)
        end()

    @contextmanager
    def outage() -> Iterator[None]:
        begin()
        ending = threading.Thread(target=wait_and_end)
        ending.start()
        yield
        ending.join()

    return outage


@pytest.fixture
def killed_postgres() -> Iterator[tuple[Platform, Outage]]:
    postgres = Postgres()
    platform = Platform(postgres.uri, lease_seconds=60)
    yield platform, until_noticed(platform, postgres.kill, postgres.restart)
    platform.stop()
    postgres.stop()


@pytest.fixture
def silent_postgres(postgres_server: str) -> Iterator[tuple[Platform, Outage]]:
    wire = DatabaseWire(new_postgres_database(postgres_server, f"matrix_outages_{time.monotonic_ns()}"))
    platform = Platform(wire.url, lease_seconds=60, fault_after_seconds=0.3)
    yield platform, until_noticed(platform, wire.pause, wire.mend)
    platform.stop()
    wire.stop()


def finished(org: Org, matrix_id: str) -> tuple[Any, list[dict[str, Any]]]:
    """Read what a matrix came to while reading may be refused as well."""

    def is_over(answer: httpx.Response) -> bool:
        return answer.status_code == 200 and answer.json()["status"] != "running"

    matrix = wait_for(lambda: org.get(f"{MATRIX}/{matrix_id}"), is_over).json()
    return (matrix["status"], matrix["summary"]), without_runs(matrix)


@pytest.mark.parametrize("interrupted", ["killed_postgres", "silent_postgres"])
def test_a_matrix_comes_to_the_same_though_postgres_goes_away(
    request: pytest.FixtureRequest, interrupted: str, agent_server: StartAgent
) -> None:
    platform, outage = request.getfixturevalue(interrupted)
    org, agent = platform.new_org(), Reads()
    org.agent(agent_server(agent).url)
    ids = cases(org, "case 1", "case 2")
    first = org.ok(org.post(MATRIX, body_of(ids, "sycophancy", "time_pressure")))["id"]
    undisturbed = finished(org, first)
    assert undisturbed[0][0] == "completed"
    agent.disturb(outage)
    again = org.ok(org.post(f"{MATRIX}/{first}/rerun"))["id"]
    assert finished(org, again) == undisturbed
    outcomes = [
        attempt["outcome"]
        for page in org.pages("/api/runs")
        for run in page
        for attempt in org.read_run(run["id"])["attempts"]
    ]
    assert "platform_fault" in outcomes, "the outage was not noticed"


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    installation = Installation(tmp_path)
    yield installation
    installation.kill()


def test_a_matrix_comes_to_the_same_though_the_disk_is_full(
    installation: Installation, agent_server: StartAgent
) -> None:
    agent = Reads()
    installation.agent(agent_server(agent).url, tools_schema=TOOLS)
    ids = installation.cases("case 1", "case 2")
    first = installation.post(MATRIX, body_of(ids, "sycophancy", "time_pressure"))["id"]
    undisturbed = installation.finished(first)
    agent.disturb(lambda: full_disk(installation.server.pid))
    result = installation.finished(installation.post(f"{MATRIX}/{first}/rerun")["id"])
    assert (result.summary, result.cells) == (undisturbed.summary, undisturbed.cells)
    attempts = [installation.get(f"/api/runs/{run_id}")["attempts"] for run_id in result.runs]
    assert ["platform_fault", "completed"] in [[one["outcome"] for one in made] for made in attempts]
