"""The servers Odyssey is measured beside."""

import sys
from dataclasses import dataclass
from typing import Any

import aiohttp
from benchmarks.calls import STATUSES, order_id, updates
from benchmarks.processes import BenchmarkError, Servers


@dataclass(frozen=True)
class Peer:
    key: str
    name: str
    port: int
    method: str
    path: str
    """Where the write goes; `{}` is the order's id."""
    expected: str = '"status"'
    """What every answer to a write contains."""
    reads_back: bool = False
    """Whether GET on the same path shows the order as the write has left it."""

    def requests(self, connections: int) -> list[list[str]]:
        return [updates(self.port, self.path, method=self.method)] * connections

    async def check(self, session: aiohttp.ClientSession) -> None:
        """Prove, before anything is measured, that a write answers as it must and is kept."""
        url = f"http://127.0.0.1:{self.port}{self.path.replace('{}', order_id(17))}"
        for status in STATUSES:
            body = {"order_id": order_id(17), "status": status}
            answer = await self._ask(session, self.method, url, body)
            if not self.reads_back:
                continue
            kept = await self._ask(session, "GET", url, None)
            if answer != kept or kept["status"] != status:
                raise BenchmarkError(f"{self.name} does not keep what is written: {answer} and then {kept}")

    async def _ask(self, session: aiohttp.ClientSession, method: str, url: str, body: Any) -> Any:
        async with session.request(method, url, json=body) as answer:
            text = await answer.text()
            if not answer.ok or self.expected not in text:
                raise BenchmarkError(f"{self.name} answers {method} {url} with {answer.status}: {text}")
            return await answer.json()


async def start_echoes(servers: Servers) -> list[Peer]:
    path = "/tools/update_order"
    kinds = {
        "bare": "bare ASGI echo",
        "fastapi": "FastAPI + pydantic echo",
        "commit": "… + commit, on the loop",
        "commit-threads": "… + commit, thread pool",
    }
    peers = []
    for kind, name in kinds.items():
        database = servers.folder / f"{kind}.db"
        command = [sys.executable, "-m", "benchmarks.echo", kind, "--database", str(database)]
        port = await servers.start(kind, command)
        expected = '"status"' if kind == "bare" else '"source":"odyssey"'
        peers.append(Peer(kind, name, port, "POST", path, expected))
    return peers
