"""Datasets: tables of tasks."""

# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.transport import AsyncTransport
from pipelines.odyssey.client.requests import Rows, name_of, upload_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Literal, Unpack

    from pipelines.odyssey.client import types as t


class AsyncDatasets:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def upload(
        self, rows: Rows, *, name: str | None = None, idempotency_key: str | None = None
    ) -> t.DatasetOut:
        """Upload a .csv or .json file, CSV as bytes, or seeds; the name is by default the file's."""
        query = {"name": name_of(rows, name)}
        return await self._api.post("/api/datasets", body=upload_of(rows), query=query, key=idempotency_key)

    async def lint(self, rows: Rows, *, agent_id: int | None = None) -> t.LintOut:
        """Say what is wrong with rows, and save nothing; with an agent, also what contradicts its schema."""
        return await self._api.post("/api/datasets/lint", body=upload_of(rows), query={"agent_id": agent_id})

    async def audit(self, rows: Rows, *, agent_id: int | None = None) -> t.AuditOut:
        """Say which rows a useless agent passes and which nobody can, and save nothing; with an agent, by its tools."""
        return await self._api.post("/api/datasets/audit", body=upload_of(rows), query={"agent_id": agent_id})

    async def audit_dataset(self, dataset_id: int, *, agent_id: int | None = None) -> t.AuditOut:
        return await self._api.post("/api/datasets/{}/audit", dataset_id, query={"agent_id": agent_id})

    async def ungradable(self, dataset_id: int) -> t.UngradableOut:
        """Say which of its rows can never get a PASS."""
        return await self._api.get("/api/datasets/{}/ungradable", dataset_id)

    async def get(self, dataset_id: int) -> t.DatasetOut:
        return await self._api.get("/api/datasets/{}", dataset_id)

    async def update(self, dataset_id: int, rows: Rows, *, name: str | None = None) -> t.DatasetOut:
        """Replace its rows, and its name if one is given."""
        return await self._api.put("/api/datasets/{}", dataset_id, body=upload_of(rows), query={"name": name})

    async def delete(self, dataset_id: int) -> None:
        await self._api.delete("/api/datasets/{}", dataset_id)

    async def export(
        self, dataset_id: int, format: Literal["csv", "json"] = "csv", *, safe: bool = True
    ) -> bytes:
        """Return it as a file; a `safe` table has a ' before formulas, which an upload takes off again."""
        query = {"format": format, "safe": safe}
        return await self._api.read("/api/datasets/{}/export", dataset_id, query=query)

    def download(
        self, dataset_id: int, format: Literal["csv", "json"] = "csv", *, safe: bool = True
    ) -> AsyncIterator[bytes]:
        """Give the same file piece by piece as it arrives."""
        query = {"format": format, "safe": safe}
        return self._api.pieces("/api/datasets/{}/export", dataset_id, query=query)

    async def template(self, format: Literal["csv", "json"] = "csv") -> bytes:
        """Return a file to begin with."""
        return await self._api.read("/api/datasets/template", query={"format": format})

    def rows(self, dataset_id: int, *, limit: int | None = None) -> AsyncIterator[t.RowOut]:
        return self._api.items("/api/datasets/{}/rows", dataset_id, limit=limit)

    def list(
        self, *, limit: int | None = None, **query: Unpack[t.DatasetsQuery]
    ) -> AsyncIterator[t.DatasetOut]:
        return self._api.items("/api/datasets", limit=limit, query=query)

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.DatasetsQuery]
    ) -> t.DatasetsPage:
        return await self._api.page("/api/datasets", cursor=cursor, limit=limit, query=query)
