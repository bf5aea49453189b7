"""Bare loops to measure by: workers that only POST, with the product's client or with httpx, as one process.

`python -m benchmarks.matrix.bare outbound --url URL` prints one line of JSON. `commit` is the product's client and one
durable commit of a row after every answer, on the loop, one row a commit.
"""

import argparse
import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import uvloop

from odyssey.core.addresses import AddressPolicy
from odyssey.core.outbound import OutboundClient

KINDS = ("outbound", "httpx", "commit")
TIMEOUT_S = 60.0
HEADERS = {"Content-Type": "application/json", "X-Pipelines-Run-Token": "0" * 43, "X-Pipelines-Attempt": "1"}

Post = Callable[[int], Awaitable[str]]


def body(number: int) -> bytes:
    """As much as a dispatch of the scenario that the platform runs."""
    asked = {"task_id": 1, "user_instruction": "x" * 200, "input": {"order_id": "ord_1", "days": 40}}
    return msgspec.json.encode(
        {"task_id": 1, "run_id": number, "agent_id": 1, "input": asked, "run_token_jti": "0" * 32}
    )


async def measure(kind: str, url: str, runs: int, concurrency: int) -> dict[str, float]:
    if kind == "httpx":
        async with httpx.AsyncClient(timeout=TIMEOUT_S, trust_env=False) as client:

            async def post(number: int) -> str:
                answer = await client.post(url, content=body(number), headers=HEADERS)
                return str(answer.json()["final_response"])

            return await _timed(post, runs, concurrency)
    outbound = OutboundClient(AddressPolicy(allow=(), allow_loopback=True))

    async def send(number: int) -> str:
        answer = await outbound.post_json(url, body(number), HEADERS, timeout_s=TIMEOUT_S)
        return str(msgspec.json.decode(answer.body)["final_response"])

    try:
        if kind == "outbound":
            return await _timed(send, runs, concurrency)
        with tempfile.TemporaryDirectory(prefix="odyssey-bench-") as folder:
            return await _timed(_with_commit(send, Path(folder) / "bare.db"), runs, concurrency)
    finally:
        await outbound.close()


def _with_commit(send: Post, path: Path) -> Post:
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE answers (number INTEGER PRIMARY KEY, text TEXT)")

    async def post(number: int) -> str:
        text = await send(number)
        connection.execute("INSERT INTO answers VALUES (?, ?)", (number, text))
        return text

    return post


async def _timed(post: Post, runs: int, concurrency: int) -> dict[str, float]:
    await _work(post, iter(range(-concurrency, 0)))
    numbers = iter(range(runs))
    began, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(_work(post, numbers) for _ in range(concurrency)))
    return {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - cpu}


async def _work(post: Post, numbers: Iterator[int]) -> None:
    for number in numbers:
        await post(number)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--url", required=True)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--concurrency", type=int, default=16)
    options: Any = parser.parse_args()
    run = (
        asyncio.run if options.kind == "httpx" else uvloop.run
    )  # as anyone would write it; as the server does
    print(json.dumps(run(measure(options.kind, options.url, options.runs, options.concurrency))))


if __name__ == "__main__":
    main()
