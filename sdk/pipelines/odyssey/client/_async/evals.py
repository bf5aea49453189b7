"""Evaluation: scenarios under pressure, alone and as matrices, and what people decide about flagged runs."""

# ruff: noqa: ASYNC109 - a time limit from outside could not say what was left
# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.scenarios import AsyncScenarios, AsyncVariations
from pipelines.odyssey.client._async.transport import AsyncTransport
from pipelines.odyssey.client._async.waiting import wait_for
from pipelines.odyssey.client.retries import TOO_MANY_STREAMS
from pipelines.odyssey.client.waiting import LISTEN_S, Progress, Watch
from pipelines.odyssey.errors import ApiError, UnreachableError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence
    from typing import Literal, Unpack

    from pipelines.odyssey.client import types as t
    from pipelines.odyssey.client.streams import Event


class AsyncEvalRuns:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def start(
        self, *, idempotency_key: str | None = None, **wanted: Unpack[t.EvalRunsIn]
    ) -> t.EvalRunsCreated:
        """Run one scenario, with a variation or without."""
        return await self._api.post("/api/v1/eval/runs", body=wanted, key=idempotency_key)

    async def get(self, run_id: int) -> t.EvalRunOut:
        return await self._api.get("/api/v1/eval/runs/{}", run_id)

    async def wait(
        self,
        ids: Iterable[int],
        *,
        timeout: float | None = None,
        on_progress: Callable[[Progress], object] | None = None,
    ) -> Sequence[t.EvalRunOut]:
        """Wait until runs have ended and were looked at; NotDoneError after `timeout` seconds."""
        wanted = [*ids]
        done: dict[int, t.EvalRunOut] = {}

        async def look() -> Progress:
            for run_id in wanted:
                if run_id not in done:
                    found = await self.get(run_id)
                    if found["observed_at"] is not None:
                        done[run_id] = found
            left = tuple(each for each in wanted if each not in done)
            return Progress(len(done), len(set(wanted)), left)

        await wait_for(look, Watch(timeout, on_progress))
        return [done[each] for each in wanted]

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.EvalRunsQuery]
    ) -> t.EvalRunsPage:
        return await self._api.page("/api/v1/eval/runs", cursor=cursor, limit=limit, query=query)

    def list(
        self, *, limit: int | None = None, **query: Unpack[t.EvalRunsQuery]
    ) -> AsyncIterator[t.EvalRunSummary]:
        return self._api.items("/api/v1/eval/runs", limit=limit, query=query)


class AsyncMatrices:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def start(
        self, *, idempotency_key: str | None = None, **wanted: Unpack[t.MatrixIn]
    ) -> t.MatrixPlanned:
        """Run scenarios under every variation, many times each."""
        return await self._api.post("/api/v1/eval/matrix", body=wanted, key=idempotency_key)

    async def get(self, matrix_id: str) -> t.MatrixOut:
        return await self._api.get("/api/v1/eval/matrix/{}", matrix_id)

    async def cancel(self, matrix_id: str) -> t.MatrixSummary:
        return await self._api.post("/api/v1/eval/matrix/{}/cancel", matrix_id)

    async def resume(self, matrix_id: str) -> t.MatrixPlanned:
        """Go on with a matrix that was cancelled or has missing runs."""
        return await self._api.post("/api/v1/eval/matrix/{}/resume", matrix_id)

    async def rerun(self, matrix_id: str) -> t.MatrixPlanned:
        """Start the same matrix anew."""
        return await self._api.post("/api/v1/eval/matrix/{}/rerun", matrix_id)

    async def compare(self, matrix_id: str, other_id: str) -> t.MatricesCompared:
        """Hold another matrix against this one, cell by cell."""
        return await self._api.get("/api/v1/eval/matrix/{}/compare", matrix_id, query={"with": other_id})

    async def export(
        self,
        matrix_id: str,
        format: Literal["json", "junit", "markdown", "html", "report"] = "json",
    ) -> bytes:
        return await self._api.read("/api/v1/eval/matrix/{}/export", matrix_id, query={"format": format})

    def download(
        self,
        matrix_id: str,
        format: Literal["json", "junit", "markdown", "html", "report"] = "json",
    ) -> AsyncIterator[bytes]:
        """Give the same file piece by piece as it arrives."""
        return self._api.pieces("/api/v1/eval/matrix/{}/export", matrix_id, query={"format": format})

    def events(self, matrix_id: str) -> AsyncIterator[Event]:
        """Listen to its progress until it has ended; a connection that breaks off ends it too."""
        return self._api.events("/api/v1/eval/matrix/{}/stream", matrix_id)

    async def wait(
        self,
        matrix_id: str,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Progress], object] | None = None,
    ) -> t.MatrixOut:
        """Wait until every cell has its runs, told by a stream; NotDoneError after `timeout` seconds.

        With too many streams open already it reads the matrix every few seconds instead.
        """
        watch = Watch(timeout, on_progress)
        while True:
            if await self._listen(matrix_id, watch):
                return await self.get(matrix_id)
            await asyncio.sleep(watch.pause())

    async def _listen(self, matrix_id: str, watch: Watch) -> bool:
        """Listen until the matrix has ended, or the stream is silent, and say whether it has ended."""
        silence = min(LISTEN_S, watch.left_s())
        try:
            async for event in self._api.events(
                "/api/v1/eval/matrix/{}/stream", matrix_id, silence_s=silence
            ):
                if event.name == "end":
                    return True
                if event.name == "progress":
                    ended, planned = event.data["ended"], event.data["planned"]
                    guess = event.data["seconds_left"]
                    watch.saw(Progress(ended, planned, (matrix_id,), seconds_left=guess))
                    watch.left_s()
        except UnreachableError as error:
            watch.missed(error)
        except ApiError as error:
            if error.code != TOO_MANY_STREAMS:
                raise
            await asyncio.sleep(silence)
            return (await self.get(matrix_id))["status"] != "running"
        return False

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.MatricesQuery]
    ) -> t.MatricesPage:
        return await self._api.page("/api/v1/eval/matrix", cursor=cursor, limit=limit, query=query)

    def list(
        self, *, limit: int | None = None, **query: Unpack[t.MatricesQuery]
    ) -> AsyncIterator[t.MatrixSummary]:
        return self._api.items("/api/v1/eval/matrix", limit=limit, query=query)


class AsyncEval:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api
        self.scenarios = AsyncScenarios(api)
        self.variations = AsyncVariations(api)
        self.runs = AsyncEvalRuns(api)
        self.matrices = AsyncMatrices(api)

    async def summary(self, **query: Unpack[t.SummaryQuery]) -> t.SummaryOut:
        """Return how an agent stands, overall or in one matrix."""
        return await self._api.get("/api/v1/eval/summary", query=query)

    async def compare(self, **query: Unpack[t.CompareQuery]) -> t.CompareOut:
        """Hold runs under a pressure against those without it."""
        return await self._api.get("/api/v1/eval/compare", query=query)

    async def compare_runs(self, **wanted: Unpack[t.CompareIn]) -> t.CompareOut:
        """Compare runs that you name."""
        return await self._api.post("/api/v1/eval/compare", body=wanted)

    async def wait_matrix(
        self,
        matrix_id: str,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Progress], object] | None = None,
    ) -> t.MatrixOut:
        """Wait until every cell of a matrix has its runs."""
        return await self.matrices.wait(matrix_id, timeout=timeout, on_progress=on_progress)


class AsyncReview:
    """What people decide about flagged runs."""

    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    def items(
        self, *, limit: int | None = None, **query: Unpack[t.ReviewItemsQuery]
    ) -> AsyncIterator[t.ReviewItem]:
        """Go through the queue, the most urgent first."""
        return self._api.items("/api/v1/review/items", limit=limit, query=query)

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.ReviewItemsQuery]
    ) -> t.ReviewItemsPage:
        return await self._api.page("/api/v1/review/items", cursor=cursor, limit=limit, query=query)

    async def get(self, item_id: str) -> t.ReviewItem:
        return await self._api.get("/api/v1/review/items/{}", item_id)

    async def submit(self, **item: Unpack[t.ManualItem]) -> t.ReviewItem:
        """Put a run into the queue by hand."""
        return await self._api.post("/api/v1/review/items", body=item)

    async def verdict(self, item_id: str, **verdict: Unpack[t.VerdictIn]) -> t.ReviewItem:
        """Decide."""
        return await self._api.post("/api/v1/review/items/{}/verdict", item_id, body=verdict)

    async def figures(self) -> t.ReviewFigures:
        return await self._api.get("/api/v1/review/figures")
