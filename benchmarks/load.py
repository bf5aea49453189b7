"""The load generator: a process of its own, so that what the client costs is the same for every server.

It reads one plan per line on standard input and answers each with one line of JSON. A plan's connections stay open
and have one request in flight each; requests are ready-made bytes, and of an answer only what is needed is parsed.
"""

import asyncio
import gc
import itertools
import json
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import uvloop


class Answer(NamedTuple):
    status: int
    body: bytes


class LoadError(Exception):
    """A call that did not end as it must; the sentence says which."""


class Load:
    """One plan under way: how many calls are left to send, and what the answered ones took."""

    def __init__(self, expected: bytes) -> None:
        self.expected = expected
        self.to_send = 0
        self.latencies_ns: list[int] = []
        self._to_answer = 0
        self._over: asyncio.Future[None] | None = None

    async def run(self, connections: list["Connection"], calls: int) -> float:
        """Send `calls` over the connections; returns the seconds it took."""
        self.to_send = self._to_answer = calls
        self.latencies_ns = []
        self._over = asyncio.get_running_loop().create_future()
        began = time.perf_counter()
        for connection in connections:
            connection.send_next()
        await self._over
        return time.perf_counter() - began

    def answered(self, nanoseconds: int) -> None:
        self.latencies_ns.append(nanoseconds)
        self._to_answer -= 1
        if self._to_answer == 0 and self._over is not None and not self._over.done():
            self._over.set_result(None)

    def failed(self, error: LoadError) -> None:
        self.to_send = 0
        if self._over is not None and not self._over.done():
            self._over.set_exception(error)


class Connection(asyncio.Protocol):
    def __init__(self, load: Load, requests: list[bytes]) -> None:
        self._load = load
        self._requests: Iterator[bytes] = itertools.cycle(requests)
        self._transport: asyncio.Transport | None = None
        self._received = b""
        self._sent_ns = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._load.failed(LoadError(f"the server closed a connection ({error or 'end of stream'})"))

    def send_next(self) -> None:
        if self._load.to_send == 0 or self._transport is None:
            return
        self._load.to_send -= 1
        self._sent_ns = time.perf_counter_ns()
        self._transport.write(next(self._requests))

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._received = data = self._received + data
        try:
            answer = read_answer(data)
        except LoadError as error:
            self._load.failed(error)
            return
        if answer is None:
            return
        self._received = b""
        took = time.perf_counter_ns() - self._sent_ns
        if not 200 <= answer.status < 300 or self._load.expected not in answer.body:
            text = answer.body.decode("utf-8", "replace")
            self._load.failed(LoadError(f"a call was answered {answer.status}: {text[:2000]}"))
            return
        self._load.answered(took)
        self.send_next()


def read_answer(data: bytes) -> Answer | None:
    """Read the one answer in `data`; None as long as it is incomplete."""
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = data[: end + 2].lower()
    status = int(head[9:12])
    at = head.find(b"\r\ncontent-length:")
    if at >= 0:
        length = int(head[at + 17 : head.find(b"\r\n", at + 17)])
        body = data[end + 4 :]
        return Answer(status, body) if len(body) >= length else None
    if b"\r\ntransfer-encoding: chunked" not in head:
        raise LoadError(f"an answer has neither Content-Length nor chunks: {head!r}")
    chunks = _join_chunks(data, end + 4)
    return None if chunks is None else Answer(status, chunks)


def _join_chunks(data: bytes, at: int) -> bytes | None:
    parts: list[bytes] = []
    while True:
        line_end = data.find(b"\r\n", at)
        if line_end < 0:
            return None
        size = int(data[at:line_end].partition(b";")[0], 16)
        at = line_end + 2 + size + 2
        if len(data) < at:
            return None
        if size == 0:
            return b"".join(parts)
        parts.append(data[line_end + 2 : line_end + 2 + size])


async def carry_out(plan: dict[str, Any]) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    load = Load(plan["expected"].encode())
    connections: list[Connection] = []
    try:
        for requests in plan["requests"]:
            connection = Connection(load, [request.encode() for request in requests])
            connections.append(connection)
            await loop.create_connection(lambda made=connection: made, plan["host"], plan["port"])  # type: ignore[misc]
        if plan["warm_up"]:
            await load.run(connections, plan["warm_up"])
        gc.collect()
        gc.disable()
        seconds = await load.run(connections, plan["calls"])
    finally:
        gc.enable()
        for connection in connections:
            connection.close()
    ordered = sorted(load.latencies_ns)
    return {
        "calls_per_second": len(ordered) / seconds,
        "p50_ms": percentile(ordered, 0.50) / 1e6,
        "p99_ms": percentile(ordered, 0.99) / 1e6,
        "seconds": seconds,
    }


def percentile(ordered: list[int], share: float) -> int:
    """The smallest value at least `share` of all are not above (nearest rank)."""
    rank = -(-len(ordered) * share // 1)
    return ordered[max(0, int(rank) - 1)]


def main() -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        for line in sys.stdin:
            try:
                result = runner.run(carry_out(json.loads(line)))
            except (LoadError, OSError) as error:
                result = {"error": str(error)}
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
