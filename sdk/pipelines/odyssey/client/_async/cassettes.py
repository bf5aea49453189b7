"""Cassettes: recorded answers of live services."""

# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.transport import AsyncTransport

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Unpack

    from pipelines.odyssey.client import types as t


class AsyncCassettes:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def record(self, *, name: str, run_id: int) -> t.CassetteOut:
        """Keep what live services answered in a run."""
        return await self._api.post("/api/cassettes", body={"name": name, "run_id": run_id})

    async def get(self, cassette_id: str) -> t.CassetteOut:
        return await self._api.get("/api/cassettes/{}", cassette_id)

    async def diff(self, cassette_id: str, **wanted: Unpack[t.DiffIn]) -> t.DiffOut:
        """Ask the live services again, and say what they answer differently."""
        return await self._api.post("/api/cassettes/{}/diff", cassette_id, body=wanted)

    async def delete(self, cassette_id: str) -> None:
        await self._api.delete("/api/cassettes/{}", cassette_id)

    def interactions(self, cassette_id: str, *, limit: int | None = None) -> AsyncIterator[t.InteractionOut]:
        return self._api.items("/api/cassettes/{}/interactions", cassette_id, limit=limit)

    def list(
        self, *, limit: int | None = None, **query: Unpack[t.CassettesQuery]
    ) -> AsyncIterator[t.CassetteOut]:
        return self._api.items("/api/cassettes", limit=limit, query=query)

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.CassettesQuery]
    ) -> t.CassettesPage:
        return await self._api.page("/api/cassettes", cursor=cursor, limit=limit, query=query)
