"""The job as pydantic-evals does it: one case a cell, the agent asked by the task. Its environment is its own."""

import asyncio
import json
import sys
import time

import httpx
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected

url, cells, concurrency = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


async def main() -> float:
    dataset: Dataset[str, str, None] = Dataset(
        name="cells",
        cases=[
            Case(name=f"cell {number}", inputs=f"cell {number}", expected_output='{"decision": "refuse"}')
            for number in range(cells)
        ],
        evaluators=[EqualsExpected()],
    )
    async with httpx.AsyncClient(timeout=60, trust_env=False) as client:

        async def ask(text: str) -> str:
            answer = await client.post(url, json={"input": text})
            return str(answer.json()["final_response"])

        began = time.perf_counter()
        report = await dataset.evaluate(ask, max_concurrency=concurrency, progress=False)
        seconds = time.perf_counter() - began
    assert len(report.cases) == cells
    assert all(all(found.value for found in case.assertions.values()) for case in report.cases)
    return seconds


print(json.dumps({"seconds": asyncio.run(main())}))
