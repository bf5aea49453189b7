"""Tool endpoints, for scripts that register one and are done; `Client.tool_endpoints` does everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.odyssey.client import Client

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pipelines.odyssey.client import types as t


def create_mcp_server(
    *,
    name: str,
    url: str,
    auth: Mapping[str, Any] | None = None,
    description: str = "",
    api_key: str | None = None,
    base_url: str | None = None,
    org_id: int | None = None,
) -> t.EndpointOut:
    """Register an MCP server and discover its tools.

    Args:
        name: By which tools bind to it; one of a kind in the organisation.
        url: Where it listens.
        auth: `{type: "bearer" | "api_key", header, credential | secret}`; None is no authentication.
        description: For people.
        api_key: Key of the platform; else ODYSSEY_API_KEY, else PIPELINES_API_KEY.
        base_url: Address of the platform; else ODYSSEY_URL, else http://127.0.0.1:8200.
        org_id: If given, must be the key's own.
    """
    with Client(base_url, api_key) as client:
        return client.tool_endpoints.create_mcp_server(
            name=name, url=url, auth=auth, description=description, org_id=org_id
        )


def create_openapi(
    *,
    name: str,
    spec: Mapping[str, Any] | str | None = None,
    spec_url: str | None = None,
    service_url: str | None = None,
    auth: Mapping[str, Any] | None = None,
    description: str = "",
    api_key: str | None = None,
    base_url: str | None = None,
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
        api_key: Key of the platform; else ODYSSEY_API_KEY, else PIPELINES_API_KEY.
        base_url: Address of the platform, not of the service; else ODYSSEY_URL, else http://127.0.0.1:8200.
        org_id: If given, must be the key's own.
    """
    with Client(base_url, api_key) as client:
        return client.tool_endpoints.create_openapi(
            name=name,
            spec=spec,
            spec_url=spec_url,
            service_url=service_url,
            auth=auth,
            description=description,
            org_id=org_id,
        )
