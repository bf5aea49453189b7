"""Runs that stay open while a test uses their token."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from support.agents import Behaviour, Dispatched, ScriptedAgent, final
from support.platform import WORLD, Org

StartAgent = Callable[[Behaviour], ScriptedAgent]


class OpenRun:
    """A run whose agent waits: the test makes its calls."""

    def __init__(self, org: Org, run_id: int, dispatched: Dispatched) -> None:
        self.org = org
        self.id = run_id
        self.dispatched = dispatched
        self.token = dispatched.token
        self.url: str = dispatched.body["odyssey_proxy_url"]

    def post(self, path: str, body: Any = None, *, base: str | None = None, **headers: str) -> httpx.Response:
        return httpx.post(
            f"{base or self.url}{path}",
            json={} if body is None else body,
            headers={"Authorization": f"Bearer {self.token}", **headers},
            timeout=60,
            trust_env=False,
            verify=False,
        )

    def call(self, tool: str, arguments: Any = None, **headers: str) -> httpx.Response:
        return self.post(f"/tools/{tool}", arguments, **headers)

    def events(self, kind: str | None = None) -> list[dict[str, Any]]:
        return self.org.trace(self.id, kind)


@contextmanager
def open_run(
    org: Org, start_agent: StartAgent, *, agent: dict[str, Any] | None = None, cache: str = "use", **seed: Any
) -> Iterator[OpenRun]:
    """Dispatch a run and hold it open until the block ends."""
    arrived, release = threading.Event(), threading.Event()
    received: list[Dispatched] = []

    def wait(dispatched: Dispatched) -> Any:
        received.append(dispatched)
        arrived.set()
        release.wait(120)
        return final()

    registered = org.agent(start_agent(wait).url, **(agent or {}))
    first = {"user_instruction": "Wait.", "initial_state": WORLD, **seed}
    (run_id,) = org.start(registered, first, simulator_cache=cache)
    assert arrived.wait(60)
    try:
        yield OpenRun(org, run_id, received[0])
    finally:
        release.set()
        org.wait(run_id)
