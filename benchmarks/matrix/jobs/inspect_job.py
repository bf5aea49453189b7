"""The job as Inspect AI does it: one sample a cell, the agent asked by the solver. Its environment is its own."""

import json
import sys
import tempfile
import time

import httpx
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, Solver, TaskState, solver

url, cells, concurrency = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
clients: list[httpx.AsyncClient] = []


@solver
def ask() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if not clients:
            clients.append(httpx.AsyncClient(timeout=60, trust_env=False))
        answer = await clients[0].post(url, json={"input": state.input_text})
        state.output = ModelOutput.from_content("agent", answer.json()["final_response"])
        return state

    return solve


dataset = MemoryDataset([Sample(input=f"cell {number}", target="refuse") for number in range(cells)])
with tempfile.TemporaryDirectory() as folder:
    began = time.perf_counter()
    (log,) = eval(
        Task(dataset=dataset, solver=ask(), scorer=match(location="any")),
        model="mockllm/model",
        max_samples=concurrency,
        log_dir=folder,
        display="none",
    )
    seconds = time.perf_counter() - began
assert log.status == "success", log.error
assert log.results is not None
assert log.results.completed_samples == cells
print(json.dumps({"seconds": seconds}))
