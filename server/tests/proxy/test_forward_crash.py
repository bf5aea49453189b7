"""A server killed while a call is out: the journal has that it left, and nobody sends it again.

Starting a server takes seconds, so `make test` does this on SQLite; `make test-full` on both.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.live_shop import Gate, LiveShop, agent_of, live
from support.postgres import new_postgres_database
from support.process import ServerProcess

StartAgent = Callable[[Behaviour], ScriptedAgent]

KEY = "pk_live_" + "d" * 40
ENVIRONMENT = {
    "ODYSSEY_SECRET_KEY": "a secret key for tests that kill servers",
    "ODYSSEY_BOOTSTRAP_API_KEY": KEY,
    "ODYSSEY_LEASE_SECONDS": "1",
    "ODYSSEY_DRAIN_SECONDS": "0.3",
}


class Site:
    """A database, and a server on it that may be killed and started again."""

    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments
        self._client = httpx.Client(headers={"X-API-Key": KEY}, timeout=60, trust_env=False)
        self.start()

    def start(self) -> None:
        self.server = ServerProcess(*self._arguments, **ENVIRONMENT)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = self._client.request(method, self.server.url + path, json=body)
        assert answer.status_code < 400, answer.text
        return answer.json()

    def wait(self, run_id: int) -> Any:
        deadline = time.monotonic() + 60
        while (run := self.ask("GET", f"/api/runs/{run_id}"))["status"] != "completed":
            assert time.monotonic() < deadline, run
            time.sleep(0.1)
        return run

    def end(self) -> None:
        self._client.close()
        self.server.kill()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.full)])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    arguments = ["--data", str(tmp_path)]
    if request.param == "postgres":
        uri = request.getfixturevalue("postgres_server")
        arguments = ["--database-url", new_postgres_database(uri, f"forward_{time.monotonic_ns()}")]
    site = Site(*arguments)
    yield site
    site.end()


@pytest.fixture
def gate() -> Gate:
    return Gate()


@pytest.fixture
def shop(gate: Gate) -> Iterator[LiveShop]:
    shop = LiveShop(gate)
    yield shop
    shop.stop()


def test_a_killed_server_has_recorded_what_went_out_and_sends_nothing_again(
    site: Site, gate: Gate, shop: LiveShop, agent_server: StartAgent
) -> None:
    cut_off: list[bool] = []

    def behave(d: Dispatched) -> Any:
        if d.headers["x-pipelines-attempt"] == "1":
            with pytest.raises(httpx.TransportError):
                d.call("add_note", {"order_id": "ord_1", "text": "Send it."})
            cut_off.append(True)
        return final(f"attempt {d.headers['x-pipelines-attempt']}")

    site.ask("POST", "/api/tool-endpoints", shop.endpoint())
    config = {"endpoint_url": agent_server(behave).url}
    agent = {"name": "agent", "config": config, **agent_of(live("add_note", "addNote"))}
    agent_id = site.ask("POST", "/api/agents", agent)["id"]
    site.ask("POST", f"/api/agents/{agent_id}/publish")
    body = {"agent_id": agent_id, "seeds": [{"user_instruction": "Do it."}]}
    run_id = site.ask("POST", "/api/runs", body)["runs"][0]["id"]
    gate.wait()
    site.server.kill()
    gate.release.set()
    site.start()
    run = site.wait(run_id)
    events = site.ask("GET", f"/api/runs/{run_id}/trace")["items"]
    assert [attempt["outcome"] for attempt in run["attempts"]] == ["lost", "completed"]
    assert [(event["attempt"], event["kind"]) for event in events[:4]] == [
        (1, "dispatch"),
        (1, "forward"),
        (2, "dispatch"),
        (2, "reply"),
    ]
    assert events[1]["data"]["arguments"] == {"order_id": "ord_1", "text": "Send it."}
    assert len(shop.asked) == 1
    assert cut_off == [True]
