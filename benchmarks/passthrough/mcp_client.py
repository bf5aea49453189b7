"""Calls of the official MCP client, one after the other; prints what one takes at the median, as JSON.

Standard input holds `{"url", "headers", "calls", "warm_up"}`.
"""

import asyncio
import gc
import json
import sys
import time
from typing import Any

import httpx2
import uvloop
from benchmarks.calls import STATUSES, UPDATE, order_id
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def measure(plan: dict[str, Any]) -> list[float]:
    times: list[float] = []
    async with (
        httpx2.AsyncClient(headers=plan["headers"], timeout=60, trust_env=False) as http,
        Client(streamable_http_client(plan["url"], http_client=http)) as client,
    ):
        for number in range(plan["warm_up"] + plan["calls"]):
            if number == plan["warm_up"]:
                gc.collect()
                gc.disable()
            arguments = {"order_id": order_id(number % 100), "status": STATUSES[number % 2]}
            began = time.perf_counter()
            result = await client.call_tool(plan.get("tool", UPDATE), arguments)
            times.append(time.perf_counter() - began)
            if result.structured_content != arguments:
                raise RuntimeError(f"a call was answered {result!r}"[:2000])
        gc.enable()
    return sorted(times[plan["warm_up"] :])


def main() -> None:
    plan = json.load(sys.stdin)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        times = runner.run(measure(plan))
    shares = {"p50_ms": 0.5, "p99_ms": 0.99}
    print(json.dumps({name: times[int(len(times) * share)] * 1000 for name, share in shares.items()}))


if __name__ == "__main__":
    main()
