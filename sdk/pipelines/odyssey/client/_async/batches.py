"""Batches: many runs at once."""

# ruff: noqa: ASYNC109 - a time limit from outside could not say what was left
# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.transport import AsyncTransport
from pipelines.odyssey.client._async.waiting import wait_for
from pipelines.odyssey.client.waiting import Progress, Watch, batch_progress

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Literal, Unpack

    from pipelines.odyssey.client import types as t


class AsyncBatches:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def get(self, batch_id: int) -> t.BatchOut:
        return await self._api.get("/api/batches/{}", batch_id)

    async def cancel(self, batch_id: int) -> t.BatchOut:
        return await self._api.post("/api/batches/{}/cancel", batch_id)

    async def wait(
        self,
        batch_id: int,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Progress], object] | None = None,
    ) -> t.BatchOut:
        """Wait until every run has ended and has its verdict; NotDoneError after `timeout` seconds."""
        found: list[t.BatchOut] = []

        async def look() -> Progress:
            found[:] = [await self.get(batch_id)]
            return batch_progress(found[0])

        await wait_for(look, Watch(timeout, on_progress))
        return found[0]

    def results(self, batch_id: int, *, limit: int | None = None) -> AsyncIterator[t.BatchRowOut]:
        """Go through its rows with their runs and verdicts."""
        return self._api.items("/api/batches/{}/rows", batch_id, limit=limit)

    async def compare(
        self, batch_id: int, other_id: int, *, cursor: str | None = None, limit: int | None = None
    ) -> t.ComparisonOut:
        """Hold another batch against this one, row by row."""
        query = {"with": other_id, "cursor": cursor, "limit": limit}
        return await self._api.get("/api/batches/{}/compare", batch_id, query=query)

    async def export(self, batch_id: int, format: Literal["csv", "json", "junit"] = "csv") -> bytes:
        return await self._api.read("/api/batches/{}/export", batch_id, query={"format": format})

    def download(
        self, batch_id: int, format: Literal["csv", "json", "junit"] = "csv"
    ) -> AsyncIterator[bytes]:
        """Give the same file piece by piece as it arrives."""
        return self._api.pieces("/api/batches/{}/export", batch_id, query={"format": format})

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.BatchesQuery]
    ) -> t.BatchesPage:
        return await self._api.page("/api/batches", cursor=cursor, limit=limit, query=query)

    def list(self, *, limit: int | None = None, **query: Unpack[t.BatchesQuery]) -> AsyncIterator[t.BatchOut]:
        """Go through all batches, the newest first."""
        return self._api.items("/api/batches", limit=limit, query=query)
