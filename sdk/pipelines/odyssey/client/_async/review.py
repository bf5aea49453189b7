"""Review: what people decide about flagged runs."""

# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.transport import AsyncTransport

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Unpack

    from pipelines.odyssey.client import types as t


class AsyncReview:
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
