"""Credentials: secrets of the organisation, which can be set and never read."""

# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.transport import AsyncTransport

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Unpack

    from pipelines.odyssey.client import types as t


class AsyncCredentials:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def create(self, **credential: Unpack[t.CredentialIn]) -> t.CredentialOut:
        return await self._api.post("/api/credentials", body=credential)

    async def update(self, name: str, **change: Unpack[t.CredentialChange]) -> t.CredentialOut:
        return await self._api.put("/api/credentials/{}", name, body=change)

    async def delete(self, name: str) -> None:
        await self._api.delete("/api/credentials/{}", name)

    def list(
        self, *, limit: int | None = None, **query: Unpack[t.CredentialsQuery]
    ) -> AsyncIterator[t.CredentialOut]:
        return self._api.items("/api/credentials", limit=limit, query=query)

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.CredentialsQuery]
    ) -> t.CredentialsPage:
        return await self._api.page("/api/credentials", cursor=cursor, limit=limit, query=query)
