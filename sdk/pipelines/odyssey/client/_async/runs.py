"""Runs, alone and as batches: started, watched, waited for, graded."""

# ruff: noqa: ASYNC109 - a time limit from outside could not say what was left
# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, overload

from pipelines.odyssey.client._async.transport import AsyncTransport
from pipelines.odyssey.client._async.waiting import wait_for
from pipelines.odyssey.client.waiting import Progress, Watch, batch_progress, run_is_done
from pipelines.odyssey.errors import UnreachableError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence
    from typing import Literal, Unpack

    from pipelines.odyssey.client import types as t
    from pipelines.odyssey.client.streams import Event


class AsyncRuns:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def start(self, *, idempotency_key: str | None = None, **wanted: Unpack[t.RunsIn]) -> t.RunsCreated:
        """Start runs of seeds, or of every row of a dataset.

        A key of your own lets a program that was ended start again and find the runs it has started.
        """
        return await self._api.post("/api/runs", body=wanted, key=idempotency_key)

    async def validate(self, **wanted: Unpack[t.RunsIn]) -> t.ValidatedRuns:
        """Say what would be started, and start nothing."""
        return await self._api.post("/api/runs/validate", body=wanted)

    async def get(self, run_id: int) -> t.RunOut:
        return await self._api.get("/api/runs/{}", run_id)

    async def cancel(self, run_id: int) -> t.RunSummary:
        return await self._api.post("/api/runs/{}/cancel", run_id)

    async def grade(self, run_id: int) -> t.RunSummary:
        """Grade a run that ended once more; the verdict it had is kept."""
        return await self._api.post("/api/runs/{}/grade", run_id)

    async def ledger(self, run_id: int, **query: Unpack[t.LedgerQuery]) -> t.LedgerOut:
        """Return its world, by default as it is now; `at` is the sequence of an event."""
        return await self._api.get("/api/runs/{}/ledger", run_id, query=query)

    async def difference(
        self, run_id: int, *, since: int = 0, until: int | None = None, attempt: int | None = None
    ) -> t.LedgerDiffOut:
        """Return what changed in its world between two sequences, by default from beginning to end."""
        query = {"from": since, "to": until, "attempt": attempt}
        return await self._api.get("/api/runs/{}/ledger/diff", run_id, query=query)

    def trace(self, run_id: int, *, limit: int | None = None) -> AsyncIterator[t.EventOut]:
        """Go through all that has happened in it so far."""
        return self._api.items("/api/runs/{}/trace", run_id, limit=limit)

    async def events(self, run_id: int, *, after: int = 0) -> AsyncIterator[t.EventOut]:
        """Go through what happens in it as it happens, until it has ended and has its verdict.

        A connection that breaks off is made anew, and no event is told twice.
        """
        watch = Watch(None, None)
        while True:
            try:
                async for event in self._api.events("/api/runs/{}/events", run_id, after=str(after)):
                    if event.name == "end":
                        return
                    watch.answered()
                    after = event.data["sequence"]
                    yield _typed(event)
            except UnreachableError as error:
                watch.missed(error)
            await asyncio.sleep(watch.pause())

    def changes(self) -> AsyncIterator[Event]:
        """Listen to changes of all runs; nothing is replayed, and a connection that breaks off ends it."""
        return self._api.events("/api/runs/events")

    @overload
    async def wait(
        self,
        run: int,
        *,
        timeout: float | None = None,
        on_progress: Callable[[Progress], object] | None = None,
    ) -> t.RunOut: ...
    @overload
    async def wait(
        self,
        run: Iterable[int],
        *,
        timeout: float | None = None,
        on_progress: Callable[[Progress], object] | None = None,
    ) -> Sequence[t.RunOut]: ...
    async def wait(
        self,
        run: int | Iterable[int],
        *,
        timeout: float | None = None,
        on_progress: Callable[[Progress], object] | None = None,
    ) -> t.RunOut | Sequence[t.RunOut]:
        """Wait until one or more runs have ended and have their verdicts; NotDoneError after `timeout` seconds."""
        ids = [run] if isinstance(run, int) else [*run]
        done: dict[int, t.RunOut] = {}

        async def look() -> Progress:
            for run_id in ids:
                if run_id not in done:
                    found = await self.get(run_id)
                    if run_is_done(found):
                        done[run_id] = found
            return Progress(len(done), len(set(ids)), tuple(each for each in ids if each not in done))

        await wait_for(look, Watch(timeout, on_progress))
        return done[run] if isinstance(run, int) else [done[each] for each in ids]

    def list(self, *, limit: int | None = None, **query: Unpack[t.RunsQuery]) -> AsyncIterator[t.RunSummary]:
        """Go through all runs, the newest first."""
        return self._api.items("/api/runs", limit=limit, query=query)

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.RunsQuery]
    ) -> t.RunsPage:
        return await self._api.page("/api/runs", cursor=cursor, limit=limit, query=query)


class AsyncBatches:
    """Many runs at once."""

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


def _typed(event: Event) -> t.EventOut:
    return event.data  # type: ignore[return-value] # it is, as the platform says
