"""The organisation: its name, settings, people, keys, secrets and audit log."""

# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.transport import AsyncTransport

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Unpack

    from pipelines.odyssey.client import types as t


class AsyncOrg:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def get(self) -> t.OrgOut:
        return await self._api.get("/api/org")

    async def rename(self, name: str) -> t.OrgOut:
        return await self._api.put("/api/org", body={"name": name})

    def audit_log(self, *, limit: int | None = None) -> AsyncIterator[t.AuditEntryOut]:
        """Go through who changed what, the newest first."""
        return self._api.items("/api/audit-log", limit=limit)


class AsyncSettings:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def get(self) -> t.SettingsOut:
        return await self._api.get("/api/settings")

    async def update(self, **change: Unpack[t.SettingsChange]) -> t.SettingsOut:
        return await self._api.put("/api/settings", body=change)


class AsyncPeople:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def create(self, **person: Unpack[t.PersonIn]) -> t.PersonOut:
        return await self._api.post("/api/people", body=person)

    async def update(self, person_id: int, **change: Unpack[t.PersonChange]) -> t.PersonOut:
        return await self._api.put("/api/people/{}", person_id, body=change)

    async def delete(self, person_id: int) -> None:
        await self._api.delete("/api/people/{}", person_id)

    def list(self, *, limit: int | None = None, **query: Unpack[t.PeopleQuery]) -> AsyncIterator[t.PersonOut]:
        return self._api.items("/api/people", limit=limit, query=query)

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.PeopleQuery]
    ) -> t.PeoplePage:
        return await self._api.page("/api/people", cursor=cursor, limit=limit, query=query)


class AsyncKeys:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def create(self, *, name: str) -> t.NewKeyOut:
        """Make a key, which is told this once."""
        return await self._api.post("/api/keys", body={"name": name})

    async def delete(self, key_id: str) -> None:
        await self._api.delete("/api/keys/{}", key_id)

    def list(self, *, limit: int | None = None) -> AsyncIterator[t.KeyOut]:
        return self._api.items("/api/keys", limit=limit)

    async def page(self, *, cursor: str | None = None, limit: int | None = None) -> t.KeysPage:
        return await self._api.page("/api/keys", cursor=cursor, limit=limit)


class AsyncCredentials:
    """Secrets of the organisation, which can be set and never read."""

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
