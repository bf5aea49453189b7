"""Named worlds: their entities, imports, and trying a tool in them."""

# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.transport import AsyncTransport
from pipelines.odyssey.client.requests import Rows, upload_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Literal, Unpack

    from pipelines.odyssey.client import types as t


class AsyncWorlds:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def create(self, **world: Unpack[t.WorldIn]) -> t.WorldOut:
        return await self._api.post("/api/worlds", body=world)

    async def get(self, world_id: int) -> t.WorldOut:
        return await self._api.get("/api/worlds/{}", world_id)

    async def update(self, world_id: int, **change: Unpack[t.WorldChange]) -> t.WorldOut:
        return await self._api.put("/api/worlds/{}", world_id, body=change)

    async def delete(self, world_id: int) -> None:
        await self._api.delete("/api/worlds/{}", world_id)

    async def edit(self, world_id: int, **edit: Unpack[t.WorldEdit]) -> t.WorldSummary:
        """Apply operations to the state that has this hash; ConflictError when it was changed meanwhile."""
        return await self._api.post("/api/worlds/{}/operations", world_id, body=edit)

    async def import_entities(
        self,
        world_id: int,
        entities: Rows,
        *,
        entity_type: str,
        id_field: str | None = None,
        mode: Literal["merge", "replace"] = "merge",
        dry_run: bool = False,
    ) -> t.ImportedOut:
        """Bring in entities of one type from a .csv or .json file, CSV as bytes, or objects."""
        query = {"entity_type": entity_type, "id_field": id_field, "mode": mode, "dry_run": dry_run}
        return await self._api.post("/api/worlds/{}/import", world_id, body=upload_of(entities), query=query)

    async def try_call(self, world_id: int, **call: Unpack[t.TryIn]) -> t.TriedOut:
        """Say what a tool would answer in this world, and change nothing."""
        return await self._api.post("/api/worlds/{}/try", world_id, body=call)

    async def read_behaviors(self, **behaviors: Unpack[t.BehaviorsIn]) -> t.BehaviorsOut:
        """Say which lines of a behaviour are understood, as which rules, and what is wrong with the others."""
        return await self._api.post("/api/behaviors/read", body=behaviors)

    async def fidelity(self, world_id: int) -> t.ReportOut:
        """Read how close its answers are to those of the live service."""
        return await self._api.get("/api/worlds/{}/fidelity", world_id)

    async def set_fidelity(self, world_id: int, **report: Unpack[t.FidelityIn]) -> t.ReportOut:
        return await self._api.put("/api/worlds/{}/fidelity", world_id, body=report)

    def entities(
        self, world_id: int, *, limit: int | None = None, **query: Unpack[t.EntitiesQuery]
    ) -> AsyncIterator[t.EntityOut]:
        return self._api.items("/api/worlds/{}/entities", world_id, limit=limit, query=query)

    def list(
        self, *, limit: int | None = None, **query: Unpack[t.WorldsQuery]
    ) -> AsyncIterator[t.WorldSummary]:
        return self._api.items("/api/worlds", limit=limit, query=query)

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.WorldsQuery]
    ) -> t.WorldsPage:
        return await self._api.page("/api/worlds", cursor=cursor, limit=limit, query=query)
