"""What a tool call through the proxy costs, beside a bare ASGI echo in the same run.

Prints calls per second and medians at 1 and 32 connections, and the ratio to the echo. Absolute times are noise of
the machine; the ratio is what the docs quote.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp
from aiohttp import web

HERE = Path(__file__).parent
KEY = "pk_live_" + "0" * 40
TOOL = {
    "name": "get_order",
    "input_schema": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
}
WORLD = {"order": {f"ord_{n}": {"order_id": f"ord_{n}", "status": "shipped"} for n in range(100)}}


class Measured(NamedTuple):
    calls_per_second: float
    median_ms: float


async def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--calls", type=int, default=2000)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as data:
        echo = await _start("uvicorn", "echo:app", "--port", "8397", "--log-level", "error", cwd=HERE)
        platform = await _start("odyssey", "up", "--port", "8398", "--data", data)
        try:
            await _print_ratios(options.calls)
        finally:
            for process in (echo, platform):
                process.terminate()
                await process.wait()


async def _print_ratios(calls: int) -> None:
    print(f"{'':24}{'calls/s':>10}{'median ms':>12}{'of the echo':>14}")
    async with Runs() as runs:
        for connections in (1, 32):
            echoed = await measure(["http://127.0.0.1:8397/"], [""], connections, calls)
            urls, tokens = await runs.open(connections)
            served = await measure(urls, tokens, connections, calls)
            for name, result in ((f"echo, {connections} conn.", echoed), (f"proxy, {connections} conn.", served)):
                share = result.calls_per_second / echoed.calls_per_second
                print(f"{name:24}{result.calls_per_second:>10.0f}{result.median_ms:>12.2f}{share:>14.2f}")


async def _start(program: str, *arguments: str, cwd: Path | None = None) -> asyncio.subprocess.Process:
    environment = {
        **os.environ,
        "ODYSSEY_BOOTSTRAP_API_KEY": KEY,
        "ODYSSEY_RATE_LIMIT": "1000000",
        "ODYSSEY_MAX_RUNS": "64",
        "ODYSSEY_LOG_LEVEL": "error",
    }
    path = str(Path(sys.executable).with_name(program))
    return await asyncio.create_subprocess_exec(
        path, *arguments, cwd=cwd, env=environment, stdout=asyncio.subprocess.DEVNULL
    )


class Runs:
    """An agent that keeps its runs open, so that their tokens can be used for measuring."""

    async def __aenter__(self) -> "Runs":
        self._arrived: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        self._over = asyncio.Event()
        application = web.Application()
        application.router.add_post("/", self._dispatched)
        self._runner = web.AppRunner(application, handler_cancellation=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 8399)
        await site.start()
        self._session = aiohttp.ClientSession("http://127.0.0.1:8398", headers={"X-API-Key": KEY})
        await self._wait_until_up()
        body = {"name": "bench", "tools_schema": [TOOL], "config": {"endpoint_url": "http://127.0.0.1:8399/"}}
        self._agent_id = (await self._post("/api/agents", body))["id"]
        await self._post(f"/api/agents/{self._agent_id}/publish", {})
        return self

    async def __aexit__(self, *error: object) -> None:
        self._over.set()
        await asyncio.sleep(0.5)
        await self._session.close()
        await self._runner.cleanup()

    async def open(self, count: int) -> tuple[list[str], list[str]]:
        seeds = [{"user_instruction": "wait", "initial_state": WORLD}] * count
        await self._post("/api/runs", {"agent_id": self._agent_id, "seeds": seeds})
        arrived = [await self._arrived.get() for _ in range(count)]
        urls = [f"{one['url']}/tools/get_order" for one in arrived]
        return urls, [one["token"] for one in arrived]

    async def _dispatched(self, request: web.Request) -> web.Response:
        body = await request.json()
        token = request.headers["X-Pipelines-Run-Token"]
        await self._arrived.put({"url": body["odyssey_proxy_url"], "token": token})
        await self._over.wait()
        return web.json_response({"final_response": "done"})

    async def _post(self, path: str, body: Any) -> Any:
        async with self._session.post(path, json=body) as answer:
            assert answer.status < 400, await answer.text()
            return await answer.json()

    async def _wait_until_up(self) -> None:
        for _ in range(200):
            try:
                async with self._session.get("/health"):
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)
        raise RuntimeError("the platform did not start")


async def measure(urls: list[str], tokens: list[str], connections: int, calls: int) -> Measured:
    latencies: list[float] = []
    left = iter(range(calls))

    async def work(session: aiohttp.ClientSession, number: int) -> None:
        url, token = urls[number % len(urls)], tokens[number % len(tokens)]
        for call in left:
            body = json.dumps({"order_id": f"ord_{call % 100}"})
            began = time.perf_counter()
            async with session.post(url, data=body, headers={"X-Pipelines-Run-Token": token}) as answer:
                assert answer.status == 200, await answer.text()
                await answer.read()
            latencies.append(time.perf_counter() - began)

    connector = aiohttp.TCPConnector(limit=connections)
    async with aiohttp.ClientSession(connector=connector) as session:
        began = time.perf_counter()
        await asyncio.gather(*(work(session, number) for number in range(connections)))
        seconds = time.perf_counter() - began
    return Measured(calls / seconds, statistics.median(latencies) * 1000)


if __name__ == "__main__":
    asyncio.run(main())
