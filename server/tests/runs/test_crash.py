"""Servers killed for real: no run is lost, none is recorded twice, every attempt is listed.

Each start takes seconds, so `make test` does on either database what the other does not; `make test-full` does all.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import TOOLS, WORLD
from support.postgres import new_postgres_database
from support.process import ServerProcess

StartAgent = Callable[[Behaviour], ScriptedAgent]

KEY = "pk_live_" + "c" * 40
ON_SQLITE = pytest.mark.parametrize(
    "site", ["sqlite", pytest.param("postgres", marks=pytest.mark.full)], indirect=True
)
ON_POSTGRES = pytest.mark.parametrize(
    "site", [pytest.param("sqlite", marks=pytest.mark.full), "postgres"], indirect=True
)


class Site:
    """One installation: a database, and a server on it that may be killed and started again."""

    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments
        self.server: ServerProcess
        self.start()

    def start(self) -> None:
        self.server = ServerProcess(
            *self._arguments,
            ODYSSEY_SECRET_KEY="a secret key for tests that kill servers",
            ODYSSEY_BOOTSTRAP_API_KEY=KEY,
            ODYSSEY_LEASE_SECONDS="1",
            ODYSSEY_DRAIN_SECONDS="0.3",
        )

    def request(self, method: str, path: str, body: Any = None) -> Any:
        answer = httpx.request(
            method, self.server.url + path, json=body, headers={"X-API-Key": KEY}, timeout=60, trust_env=False
        )
        assert answer.status_code < 400, answer.text
        return answer.json()

    def start_runs(self, endpoint_url: str, count: int) -> list[int]:
        body = {"name": "agent", "tools_schema": TOOLS, "config": {"endpoint_url": endpoint_url}}
        agent_id = self.request("POST", "/api/agents", body)["id"]
        self.request("POST", f"/api/agents/{agent_id}/publish")
        seeds = [{"user_instruction": str(number), "initial_state": WORLD} for number in range(count)]
        made = self.request("POST", "/api/runs", {"agent_id": agent_id, "seeds": seeds})
        return [run["id"] for run in made["runs"]]

    def wait_for_all(self, run_ids: list[int]) -> list[dict[str, Any]]:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            runs: list[dict[str, Any]] = self.request("GET", "/api/runs?limit=200")["items"]
            if all(run["status"] in ("completed", "failed", "cancelled") for run in runs):
                return [self.request("GET", f"/api/runs/{run_id}") for run_id in run_ids]
            time.sleep(0.2)
        raise AssertionError([run["status"] for run in runs])


@pytest.fixture
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    if request.param == "sqlite":
        site = Site("--data", str(tmp_path))
    else:
        uri = request.getfixturevalue("postgres_server")
        site = Site("--database-url", new_postgres_database(uri, f"crash_{time.monotonic_ns()}"))
    yield site
    if not site.server.is_over:
        site.server.kill()


@ON_SQLITE
def test_a_killed_server_takes_its_run_up_again_as_a_new_attempt(
    site: Site, agent_server: StartAgent
) -> None:
    first_arrived, release = threading.Event(), threading.Event()

    def behave(d: Dispatched) -> Any:
        d.call("update_order", {"order_id": "ord_1", "status": f"attempt {d.headers['x-pipelines-attempt']}"})
        if d.headers["x-pipelines-attempt"] == "1":
            first_arrived.set()
            release.wait(60)
        return final(f"attempt {d.headers['x-pipelines-attempt']}")

    server = agent_server(behave)
    (run_id,) = site.start_runs(server.url, 1)
    assert first_arrived.wait(60)
    site.server.kill()
    site.start()
    (run,) = site.wait_for_all([run_id])
    old = httpx.post(
        f"{site.server.url}/api/odyssey-proxy/tools/list_orders",
        json={},
        headers={"X-Pipelines-Run-Token": server.received[0].token},
        trust_env=False,
        timeout=60,
    )
    release.set()
    assert (old.status_code, old.json()["code"]) == (401, "run_token_revoked")
    assert (run["status"], run["final_response"]) == ("completed", "attempt 2")
    assert [attempt["outcome"] for attempt in run["attempts"]] == ["lost", "completed"]
    assert server.received[0].token != server.received[1].token
    events = site.request("GET", f"/api/runs/{run_id}/trace")["items"]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert [event["attempt"] for event in events] == [1, 1, 2, 2, 2]
    ledgers = [
        site.request("GET", f"/api/runs/{run_id}/ledger?attempt={attempt}")["state"]["order"]["ord_1"][
            "status"
        ]
        for attempt in (1, 2)
    ]
    assert ledgers == ["attempt 1", "attempt 2"]


@ON_POSTGRES
def test_a_stopped_server_gives_its_run_back(site: Site, agent_server: StartAgent) -> None:
    arrived, release = threading.Event(), threading.Event()

    def behave(d: Dispatched) -> Any:
        arrived.set()
        if d.headers["x-pipelines-attempt"] == "1":
            release.wait(60)
        return final()

    (run_id,) = site.start_runs(agent_server(behave).url, 1)
    assert arrived.wait(60)
    assert site.server.stop() == 0
    release.set()
    site.start()
    (run,) = site.wait_for_all([run_id])
    assert [attempt["outcome"] for attempt in run["attempts"]] == ["released", "completed"]


@pytest.mark.full  # without processes: test_lost_runs.py
@pytest.mark.parametrize("site", ["sqlite", "postgres"], indirect=True)
def test_a_run_that_is_lost_three_times_is_an_internal_error(site: Site, agent_server: StartAgent) -> None:
    release = threading.Event()
    server = agent_server(lambda d: release.wait(120) and final())
    (run_id,) = site.start_runs(server.url, 1)
    for attempt in (1, 2, 3):
        while len(server.received) < attempt:
            time.sleep(0.02)
        site.server.kill()
        site.start()
    (run,) = site.wait_for_all([run_id])
    release.set()
    assert (run["status"], run["error_class"]) == ("failed", "internal_error")
    assert [attempt["outcome"] for attempt in run["attempts"]] == ["lost"] * 3
    assert len(server.received) == 3


@ON_POSTGRES
def test_random_kills_lose_and_double_nothing(site: Site, agent_server: StartAgent) -> None:
    def behave(d: Dispatched) -> Any:
        time.sleep(0.1)
        d.call("list_orders")
        return final(d.body["input"]["user_instruction"])

    server = agent_server(behave)
    run_ids = site.start_runs(server.url, 60)
    moments = random.Random(7)
    for _ in range(2):
        time.sleep(moments.uniform(0.05, 0.4))
        site.server.kill()
        site.start()
    runs = site.wait_for_all(run_ids)
    assert [run["error_json"] for run in runs if run["status"] != "completed"] == []
    assert [run["final_response"] for run in runs] == [str(number) for number in range(60)]
    dispatched = Counter(received.body["run_id"] for received in server.received)
    for run in runs:
        outcomes = [attempt["outcome"] for attempt in run["attempts"]]
        assert outcomes == ["lost"] * (len(outcomes) - 1) + ["completed"]
        assert dispatched[run["id"]] <= len(outcomes)
        replies = [
            event
            for event in site.request("GET", f"/api/runs/{run['id']}/trace?limit=200")["items"]
            if event["kind"] == "reply"
        ]
        assert len(replies) == 1
