"""An MCP server as what stands behind passthrough tools."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import msgspec
from mcp import MCPError
from mcp.shared.inbound import find_invalid_x_mcp_header
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    ListToolsRequest,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
)
from pydantic import ValidationError

from odyssey.endpoints.mcp.session import MAX_PAGES, McpSession, McpSessions, fault, shortened
from odyssey.endpoints.mcp.transport import HopFailedError, McpExchange
from odyssey.endpoints.upstream import (
    CALL_TIMEOUT_S,
    DISCOVERY_TIMEOUT_S,
    MAX_RESPONSE_BYTES,
    Answered,
    Discovery,
    DiscoveryFailedError,
    Forwarded,
    NotAnswered,
    UpstreamTool,
    decode_body,
)
from odyssey.records.json_schema import SchemaInvalidError, compile_schema

# The tools of an MCP server: all pages of `tools/list`, bounded, and what is wrong with them as notes.

MAX_TOOLS = 1000
MAX_LISTING_BYTES = 8 * 1024 * 1024

_ANY_OBJECT = {"type": "object"}


async def list_tools(session: McpSession, deadline: float) -> Discovery:
    """Raises HopFailedError, or DiscoveryFailedError when the service refuses to list them."""
    found: dict[str, UpstreamTool] = {}
    notes: list[str] = []
    cursor, room = None, MAX_LISTING_BYTES
    for _ in range(MAX_PAGES):
        exchange = McpExchange(deadline, room)
        page = await _page(session, cursor, exchange)
        room -= exchange.received
        for tool in page.tools:
            if len(found) == MAX_TOOLS:
                return Discovery(
                    (*found.values(),), (*notes, f"Only the first {MAX_TOOLS} tools are offered.")
                )
            _add(tool, found, notes)
        cursor = page.next_cursor
        if cursor is None:
            return Discovery((*found.values(),), (*notes,))
    notes.append(f"The service's list of tools goes on after {MAX_PAGES} pages; the rest is not offered.")
    return Discovery((*found.values(),), (*notes,))


async def _page(session: McpSession, cursor: str | None, exchange: McpExchange) -> ListToolsResult:
    request = ListToolsRequest(params=None if cursor is None else PaginatedRequestParams(cursor=cursor))
    try:
        return ListToolsResult.model_validate(await session.ask(request, exchange), by_name=False)
    except ValidationError as error:
        message = f"The service's list of tools is not one of MCP: {fault(error)}."
        raise DiscoveryFailedError("upstream_protocol_error", message) from None
    except MCPError as error:
        message = f"The service does not list its tools: {shortened(error.message)} ({error.code})."
        raise DiscoveryFailedError("upstream_protocol_error", message) from None


def _add(tool: Tool, found: dict[str, UpstreamTool], notes: list[str]) -> None:
    called = repr(tool.name[:80])
    if not tool.name or tool.name in found:
        notes.append(f"The tool {called} is left out: its name is {'used twice' if tool.name else 'empty'}.")
        return
    reason = find_invalid_x_mcp_header(tool.input_schema)
    if reason is not None:
        notes.append(f"The tool {called} is left out: its x-mcp-header is not valid ({shortened(reason)}).")
        return
    input_schema, output_schema = tool.input_schema, tool.output_schema
    try:
        compile_schema(input_schema)
    except SchemaInvalidError as error:
        notes.append(f"The tool {called} is offered without its input schema, which cannot be used: {error}.")
        input_schema = _ANY_OBJECT
    try:
        compile_schema({} if output_schema is None else output_schema)
    except SchemaInvalidError as error:
        notes.append(
            f"The tool {called} is offered without its output schema, which cannot be used: {error}."
        )
        output_schema = None
    annotations = tool.annotations
    found[tool.name] = UpstreamTool(
        tool.name,
        input_schema,
        description=tool.description or tool.title or "",
        output_schema=output_schema,
        read_only=annotations is not None and annotations.read_only_hint is True,
    )


class McpUpstream:
    def __init__(
        self,
        sessions: McpSessions,
        url: str,
        auth_headers: Mapping[str, str],
        *,
        timeout_s: float = CALL_TIMEOUT_S,
    ) -> None:
        self._sessions = sessions
        self._url = url
        self._auth_headers = auth_headers
        self._timeout_s = timeout_s

    async def discover(self) -> Discovery:
        deadline = asyncio.get_running_loop().time() + min(self._timeout_s, DISCOVERY_TIMEOUT_S)
        try:
            async with self._sessions.lease(self._url, self._auth_headers, "") as session:
                return await list_tools(session, deadline)
        except HopFailedError as error:
            raise DiscoveryFailedError(error.failure.code, error.failure.message) from None

    async def call(self, tool_name: str, arguments: dict[str, Any], *, session: str) -> Forwarded:
        """Forward one call; an empty `session` makes it one by hand, in a session that ends with it."""
        try:
            msgspec.json.encode(arguments)  # what cannot be written would break the session all calls share
        except (TypeError, ValueError, OverflowError, RecursionError):
            return NotAnswered("request_invalid", "The arguments cannot be written as JSON.", "not_sent")
        deadline = asyncio.get_running_loop().time() + self._timeout_s
        try:
            answer = await self._attempt(tool_name, arguments, session, deadline, is_last=False)
            if answer is None:
                answer = await self._attempt(tool_name, arguments, session, deadline, is_last=True)
        except HopFailedError as error:
            return error.failure
        assert answer is not None
        return answer

    async def _attempt(
        self, tool_name: str, arguments: dict[str, Any], session: str, deadline: float, *, is_last: bool
    ) -> Forwarded | None:
        """Send the call; None when the service knows no such session, and so has not looked at it."""
        exchange = McpExchange(deadline, MAX_RESPONSE_BYTES)
        async with self._sessions.lease(self._url, self._auth_headers, session) as leased:
            try:
                return read_result(await leased.call(tool_name, arguments, exchange))
            except (HopFailedError, MCPError) as error:
                is_spoilt = (
                    isinstance(error, HopFailedError) and error.failure.code == "upstream_protocol_error"
                )
                if exchange.session_gone or is_spoilt:
                    self._sessions.discard(leased)
                if exchange.session_gone and not is_last:
                    return None
                if isinstance(error, HopFailedError):
                    raise
                return read_error(error)


# What an MCP server's answer to `tools/call` says, decoded as little as possible.
_OF_THE_PROTOCOL = frozenset({PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INTERNAL_ERROR})


def read_result(result: dict[str, Any]) -> Answered:
    """Give structured content, else one text decoded, else the list of parts."""
    if result.get("resultType") == "input_required":
        asked_for = _plain(result.get("inputRequests"))
        message = "The tool asks its caller for input, which a passthrough call cannot give."
        error = {"code": "input_required", "message": message, "input_requests": asked_for}
        return Answered({"error": error}, is_error=True)
    is_error = result.get("isError") is True
    if result.get("structuredContent") is not None:
        return Answered(_plain(result["structuredContent"]), is_error=is_error)
    parts = result["content"]
    if len(parts) == 1 and parts[0]["type"] == "text":
        return Answered(decode_body(parts[0]["text"].encode()), is_error=is_error)
    return Answered(_plain(parts), is_error=is_error)


def read_error(error: MCPError) -> Forwarded:
    """Tell an error about the tool or its arguments, which is an answer, from one about the protocol."""
    if error.code in _OF_THE_PROTOCOL:
        # Where the SDK cannot read a message, its text repeats it after the colon.
        said = error.message.partition(":")[0] if error.code == PARSE_ERROR else error.message
        message = f"The service answered with a JSON-RPC error: {shortened(said)} ({error.code})."
        return NotAnswered("upstream_protocol_error", message, "unknown")
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = _plain(error.data)
    return Answered({"error": body}, is_error=True)


def _plain(value: Any) -> Any:
    """Hold a value to the rules for every answer: what is no strict JSON object or array stays text."""
    if value is None or isinstance(value, str):
        return value
    return decode_body(json.dumps(value, ensure_ascii=False).encode())
