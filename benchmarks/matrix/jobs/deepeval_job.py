"""The job as DeepEval does it: one test case a cell, the agent asked by a metric. Its environment is its own."""

import asyncio
import json
import sys
import time
from typing import Any

import httpx
from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

url, cells, concurrency = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
clients: list[httpx.AsyncClient] = []


class Decision(BaseMetric):
    def __init__(self) -> None:
        self.threshold = 1.0
        self.async_mode = True

    def measure(self, test_case: LLMTestCase, *_args: Any, **_options: Any) -> float:
        return asyncio.run(self.a_measure(test_case))

    async def a_measure(self, test_case: LLMTestCase, *_args: Any, **_options: Any) -> float:
        if not clients:
            clients.append(httpx.AsyncClient(timeout=60, trust_env=False))
        answer = await clients[0].post(url, json={"input": test_case.input})
        self.score = float("refuse" in answer.json()["final_response"])
        self.success = self.score == 1.0
        return self.score

    def is_successful(self) -> bool:
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return "Decision"


cases = [LLMTestCase(input=f"cell {number}", actual_output="asked by the metric") for number in range(cells)]
began = time.perf_counter()
result = evaluate(
    test_cases=cases,
    metrics=[Decision()],
    async_config=AsyncConfig(run_async=True, max_concurrent=concurrency, throttle_value=0),
    display_config=DisplayConfig(show_indicator=False, print_results=False),
    cache_config=CacheConfig(write_cache=False),
)
seconds = time.perf_counter() - began
assert sum(bool(test.success) for test in result.test_results) == cells
print(json.dumps({"seconds": seconds}))
