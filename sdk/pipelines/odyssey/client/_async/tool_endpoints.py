"""Tool endpoints, which are live services behind passthrough tools, and cassettes of what they answered."""

# mypy: no-warn-return-any
# What the platform answers is what openapi.json says, and so what the types say; it is not looked at once more.

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.odyssey.client._async.transport import AsyncTransport
from pipelines.odyssey.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from typing import Any, Unpack

    from pipelines.odyssey.client import types as t


class AsyncToolEndpoints:
    def __init__(self, api: AsyncTransport) -> None:
        self._api = api

    async def create(self, **endpoint: Unpack[t.EndpointIn]) -> t.EndpointOut:
        return await self._api.post("/api/tool-endpoints", body=endpoint)

    async def create_mcp_server(
        self,
        *,
        name: str,
        url: str,
        auth: Mapping[str, Any] | None = None,
        description: str = "",
        org_id: int | None = None,
    ) -> t.EndpointOut:
        """Register an MCP server and discover its tools.

        Args:
            name: By which tools bind to it; one of a kind in the organisation.
            url: Where it listens.
            auth: `{type: "bearer" | "api_key", header, credential | secret}`; None is no authentication.
            description: For people.
            org_id: If given, must be the key's own.
        """
        config = {"url": url} if auth is None else {"url": url, "auth": auth}
        return await self.create(
            name=name, type="mcp_server", config=config, description=description, org_id=org_id
        )

    async def create_openapi(
        self,
        *,
        name: str,
        spec: Mapping[str, Any] | str | None = None,
        spec_url: str | None = None,
        service_url: str | None = None,
        auth: Mapping[str, Any] | None = None,
        description: str = "",
        org_id: int | None = None,
    ) -> t.EndpointOut:
        """Register a service that an OpenAPI document describes.

        Args:
            name: By which tools bind to it; one of a kind in the organisation.
            spec: The document, as an object or as JSON or YAML text; or give `spec_url`.
            spec_url: Where the document is.
            service_url: Where calls go; by default what the document says.
            auth: `{type: "bearer" | "api_key", header, credential | secret}`; None is no authentication.
            description: For people.
            org_id: If given, must be the key's own.
        """
        given = {"spec": spec, "spec_url": spec_url, "base_url": service_url, "auth": auth}
        config = {member: value for member, value in given.items() if value is not None}
        return await self.create(
            name=name, type="http_openapi", config=config, description=description, org_id=org_id
        )

    async def get(self, endpoint_id: str) -> t.EndpointOut:
        return await self._api.get("/api/tool-endpoints/{}", endpoint_id)

    async def by_name(self, name: str) -> t.EndpointOut:
        """Return the endpoint of this name; NotFoundError when there is none."""
        async for endpoint in self.list():
            if endpoint["name"] == name:
                return await self.get(endpoint["id"])
        raise NotFoundError(404, "not_found", f"There is no tool endpoint named {name!r}.")

    async def update(self, endpoint_id: str, **change: Unpack[t.EndpointChange]) -> t.EndpointOut:
        return await self._api.put("/api/tool-endpoints/{}", endpoint_id, body=change)

    async def discover(self, endpoint_id: str) -> t.EndpointOut:
        """List its tools anew."""
        return await self._api.post("/api/tool-endpoints/{}/discover", endpoint_id)

    async def call(
        self, endpoint_id: str, tool_name: str, arguments: Mapping[str, Any] | None = None
    ) -> t.CalledOut:
        """Call one of its tools for real. It is sent once and never again, whatever becomes of the answer."""
        body = {"tool_name": tool_name, "arguments": arguments or {}}
        return await self._api.post("/api/tool-endpoints/{}/call", endpoint_id, body=body)

    async def delete(self, endpoint_id: str) -> None:
        await self._api.delete("/api/tool-endpoints/{}", endpoint_id)

    def list(
        self, *, limit: int | None = None, **query: Unpack[t.EndpointsQuery]
    ) -> AsyncIterator[t.EndpointListed]:
        return self._api.items("/api/tool-endpoints", limit=limit, query=query)

    async def page(
        self, *, cursor: str | None = None, limit: int | None = None, **query: Unpack[t.EndpointsQuery]
    ) -> t.EndpointsPage:
        return await self._api.page("/api/tool-endpoints", cursor=cursor, limit=limit, query=query)


class AsyncCassettes:
    """Recorded answers of live services."""

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
