"""The MCP server behind the shim: tools as the run's proxy lists them, calls as `proxy_call` makes them."""

import asyncio
import json
from typing import Any

import httpx
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
)

from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import ProxyError
from pipelines.odyssey.exchange import ATTEMPTS
from pipelines.odyssey.proxy import proxy_call_with_async

_HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2025-11-25",  # the last one in which a message may stand alone without more headers
}
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_Context = ServerRequestContext[Any]


async def serve(envelope: Envelope, actor_id: str | None) -> None:
    """Serve one run's tools on standard input and output."""

    async def list_tools(_: _Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return await _listed(envelope, actor_id, params.cursor if params is not None else None)

    async def call_tool(_: _Context, params: CallToolRequestParams) -> CallToolResult:
        try:
            response = await proxy_call_with_async(envelope, params.name, params.arguments, actor_id=actor_id)
        except ProxyError as refusal:
            return _result(str(refusal), is_error=True)
        return _answered(response)

    # As the gateway of the platform, it says nothing of itself that could tell a model where it is.
    server: Server[Any] = Server("tools", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def _answered(response: Any) -> CallToolResult:
    if isinstance(response, str):
        return _result(response)
    text = json.dumps(response, ensure_ascii=False, separators=(",", ":"))
    if not isinstance(response, dict):
        return _result(text)
    if response.keys() == {"error"} and isinstance(response["error"], dict):
        return _result(text, is_error=True)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=response)


def _result(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=is_error)


async def _listed(envelope: Envelope, actor_id: str | None, cursor: str | None) -> ListToolsResult:
    params = {} if cursor is None else {"cursor": cursor}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}
    headers = {**_HEADERS, "Authorization": f"Bearer {envelope.run_token}"}
    if actor_id is not None:
        headers["X-Pipelines-Actor-Id"] = actor_id
    try:
        url = httpx.URL(f"{envelope.proxy_url.rstrip('/')}/mcp")
        async with httpx.AsyncClient(timeout=60, trust_env=url.host not in _LOOPBACK) as client:
            response = await _sent(client, client.build_request("POST", url, json=message, headers=headers))
        return ListToolsResult.model_validate(response.json()["result"])
    except httpx.TransportError:
        raise MCPError(INTERNAL_ERROR, "The run's proxy cannot be reached.") from None
    except (httpx.InvalidURL, KeyError, TypeError, ValueError):  # a ValidationError is a ValueError
        raise MCPError(INTERNAL_ERROR, "The run's proxy gave no list of tools.") from None


async def _sent(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """Send until there is an answer that waiting would not change; a list changes nothing, so it can be asked again."""
    for attempt in range(1, ATTEMPTS + 1):
        is_last = attempt == ATTEMPTS
        try:
            response = await client.send(request)
        except httpx.TransportError:
            if is_last:
                raise
        else:
            if response.is_success:
                return response
            if response.status_code not in (429, 503) or is_last:
                raise MCPError(response.status_code, _why(response))
        await asyncio.sleep(0.5 * 2 ** (attempt - 1))
    raise AssertionError("the last attempt returns or raises")


def _why(response: httpx.Response) -> str:
    try:
        said = response.json()
        return str(said.get("detail") or said["error"]["message"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return f"The run's proxy answered HTTP {response.status_code}."
