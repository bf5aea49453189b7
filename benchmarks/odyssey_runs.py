"""The platform under test, and an agent that keeps its runs open so that their tokens can be used."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import aiohttp
import uvicorn
from benchmarks.calls import READ, STATUSES, TOOLS_SCHEMA, UPDATE, order_id, orders, reads, updates
from benchmarks.processes import BenchmarkError, Servers

from pipelines.odyssey import Envelope, dispatch_app

KEY = "pk_live_" + "0" * 40
ENVIRONMENT = {
    "ODYSSEY_BOOTSTRAP_API_KEY": KEY,
    "ODYSSEY_RATE_LIMIT": "100000000",
    "ODYSSEY_MAX_RUNS": "64",
    "ODYSSEY_LOG_LEVEL": "error",
    "ODYSSEY_DRAIN_SECONDS": "2",
}
EXPECTED = '"total_cents"'
"""In every answer that holds an order; a refusal by the world is a 200 as well, but has none."""
RUN_TIMEOUT_S = 1800
WAIT_SECONDS = 60


class OpenRun(NamedTuple):
    run_id: int
    port: int
    base: str
    token: str

    def updates(self, numbers: range | None = None) -> list[str]:
        path = f"{self.base}/tools/{UPDATE}"
        if numbers is None:
            return updates(self.port, path, token=self.token)
        return updates(self.port, path, token=self.token, numbers=numbers)

    def reads(self) -> list[str]:
        return reads(self.port, f"{self.base}/tools/{READ}", token=self.token)


class Platform:
    """`odyssey up` on SQLite in a folder of its own, with the limit raised and one published agent."""

    def __init__(self, servers: Servers) -> None:
        self._servers = servers
        self._arrived: asyncio.Queue[OpenRun] = asyncio.Queue()
        self._over = asyncio.Event()
        self._stack = AsyncExitStack()
        self.port = 0

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            agent_url = await stack.enter_async_context(_serve(dispatch_app(self._hold, None)))
            command = [str(Path(sys.executable).with_name("odyssey")), "up", "--port", "0"]
            data = str(self._servers.folder / "odyssey")
            self.port = await self._servers.start(
                "odyssey-up", [*command, "--data", data], environment=ENVIRONMENT
            )
            self._http = await stack.enter_async_context(
                aiohttp.ClientSession(f"http://127.0.0.1:{self.port}", headers={"X-API-Key": KEY})
            )
            self._config = {"endpoint_url": agent_url, "run_timeout_s": RUN_TIMEOUT_S}
            self.agent_id = await self.publish(TOOLS_SCHEMA)
            self._stack = stack.pop_all()
        return self

    async def publish(self, tools: list[dict[str, Any]]) -> int:
        """Publish an agent that holds its runs; returns its id."""
        body = {"name": "bench", "mode": "http", "tools_schema": tools, "config": self._config}
        agent_id: int = (await self.ask("POST", "/api/agents", body))["id"]
        await self.ask("POST", f"/api/agents/{agent_id}/publish", {})
        return agent_id

    async def __aexit__(self, *error: object) -> None:
        self._over.set()
        await self._stack.aclose()

    @asynccontextmanager
    async def open_runs(
        self, count: int, *, agent_id: int | None = None, seed: dict[str, Any] | None = None
    ) -> AsyncIterator[list[OpenRun]]:
        """Start runs, by default on a fresh world each; they end, and are waited for, on leaving."""
        if seed is None:
            seed = {"initial_state": {"order": {order["order_id"]: order for order in orders()}}}
        seeds = [{"user_instruction": "wait", **seed}] * count
        self._over = asyncio.Event()
        await self.ask("POST", "/api/runs", {"agent_id": agent_id or self.agent_id, "seeds": seeds})
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                runs = [await self._arrived.get() for _ in range(count)]
        except TimeoutError:
            raise BenchmarkError(f"{count} runs were not dispatched in {WAIT_SECONDS} s") from None
        try:
            yield runs
        finally:
            self._over.set()
        for run in runs:
            await self._wait_until_ended(run)

    async def check(self) -> None:
        """Prove, before anything is measured, that a write changes the world its run reads."""
        async with self.open_runs(1) as (run,):
            for status in STATUSES:
                arguments = {"order_id": order_id(17), "status": status}
                written = await self._call(run, UPDATE, arguments)
                read = await self._call(run, READ, {"order_id": order_id(17)})
                if written["source"] != "odyssey" or read["response"].get("status") != status:
                    raise BenchmarkError(f"Odyssey does not keep what is written: {written} and then {read}")

    async def _call(self, run: OpenRun, tool: str, arguments: dict[str, str]) -> Any:
        headers = {"X-Pipelines-Run-Token": run.token}
        return await self.ask("POST", f"{run.base}/tools/{tool}", arguments, headers)

    async def _wait_until_ended(self, run: OpenRun) -> None:
        for _ in range(WAIT_SECONDS * 10):
            if (await self.ask("GET", f"/api/runs/{run.run_id}"))["status"] not in ("queued", "running"):
                return
            await asyncio.sleep(0.1)
        raise BenchmarkError(f"run {run.run_id} did not end in {WAIT_SECONDS} s")

    async def _hold(self, dispatched: Envelope) -> str:
        """Hand out the run's token and keep the run open: the agent answers when the measurement is over."""
        assert dispatched.run_id is not None
        over = self._over
        base = urlsplit(dispatched.proxy_url).path
        await self._arrived.put(OpenRun(dispatched.run_id, self.port, base, dispatched.run_token))
        await over.wait()
        return "done"

    async def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Any:
        async with self._http.request(method, path, json=body, headers=headers) as answer:
            if not answer.ok:
                raise BenchmarkError(f"{method} {path} answers {answer.status}: {await answer.text()}")
            return await answer.json()


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to the benchmark."""
        yield


@asynccontextmanager
async def _serve(app: Any) -> AsyncIterator[str]:
    """Serve an agent on this event loop; gives its address."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    server = _Server(uvicorn.Config(app, log_level="error", ws="none", timeout_graceful_shutdown=1))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    finally:
        server.should_exit = True
        await serving
