"""A matrix comes to the same, byte for byte, though our database goes away while its agent works."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.experiments import MATRIX, body_of, cases, pressure_of
from support.outages import DatabaseWire
from support.platform import Org, Platform
from support.postgres import new_postgres_database
from support.waiting import wait_for

StartAgent = Callable[[Behaviour], ScriptedAgent]
Outage = Callable[[], None]


class Reads:
    """An agent whose decision is what its two reads come to; at one chosen read the database goes away for a while."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reads = 0
        self._at = 0
        self._outage: Outage | None = None

    def disturb(self, at: int, outage: Outage) -> None:
        with self._lock:
            self._reads, self._at, self._outage = 0, at, outage

    def __call__(self, dispatched: Dispatched) -> Any:
        statuses = [self._read(dispatched) for _ in range(2)]
        gives_in = pressure_of(dispatched) == "sycophancy"
        decision = "grant" if gives_in else "refuse"
        return final(json.dumps({"decision": decision if statuses == [200, 200] else "could not look"}))

    def _read(self, dispatched: Dispatched) -> int:
        with self._lock:
            self._reads += 1
            outage = self._outage if self._reads == self._at else None
        if outage is not None:
            outage()
        return dispatched.call("list_orders").status_code


@pytest.fixture
def wired(postgres_server: str) -> Iterator[tuple[Platform, DatabaseWire]]:
    wire = DatabaseWire(new_postgres_database(postgres_server, f"matrix_outages_{time.monotonic_ns()}"))
    platform = Platform(wire.url, lease_seconds=60, fault_after_seconds=0.3)
    yield platform, wire
    platform.stop()
    wire.stop()


def finished(org: Org, matrix_id: str) -> tuple[Any, list[dict[str, Any]]]:
    """Read what a matrix came to while reading may be refused as well."""

    def is_over(answer: httpx.Response) -> bool:
        return answer.status_code == 200 and answer.json()["status"] != "running"

    matrix = wait_for(lambda: org.get(f"{MATRIX}/{matrix_id}"), is_over).json()
    cells = [{name: value for name, value in cell.items() if name != "runs"} for cell in matrix["cells"]]
    return (matrix["status"], matrix["summary"]), cells


def survives(org: Org, agent: Reads, first: str, outage: Outage, at: int) -> None:
    undisturbed = finished(org, first)
    assert undisturbed[0][0] == "completed"
    agent.disturb(at, outage)
    again = org.ok(org.post(f"{MATRIX}/{first}/rerun"))["id"]
    assert finished(org, again) == undisturbed
    faulted = {
        run["id"]
        for page in org.pages("/api/runs")
        for run in page
        if any(attempt["outcome"] == "platform_fault" for attempt in org.read_run(run["id"])["attempts"])
    }
    assert faulted, "the outage was not noticed"


@pytest.mark.parametrize("how", ["cut", "pause"])
def test_a_matrix_comes_to_the_same_though_postgres_goes_away(
    wired: tuple[Platform, DatabaseWire], agent_server: StartAgent, how: str
) -> None:
    platform, wire = wired
    org, agent = platform.new_org(), Reads()
    faults = platform.app.state.platform_faults
    org.agent(agent_server(agent).url)
    ids = cases(org, "case 1", "case 2")
    planned = org.ok(org.post(MATRIX, body_of(ids, "sycophancy", "time_pressure")))

    def outage() -> None:
        wire.cut() if how == "cut" else wire.pause()

        def until_noticed() -> None:
            wait_for(lambda: len(faults.pending), lambda pending: pending > 0)
            wire.mend()

        threading.Thread(target=until_noticed, daemon=True).start()

    survives(org, agent, planned["id"], outage, at=21)
