"""An MCP server as what stands behind passthrough tools."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import msgspec
from mcp import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR

from odyssey.endpoints.failures import decode_body
from odyssey.endpoints.mcp.exchange import Exchange, HopFailedError
from odyssey.endpoints.mcp.listing import list_tools
from odyssey.endpoints.mcp.session import shortened
from odyssey.endpoints.mcp.sessions import McpSessions
from odyssey.endpoints.upstream import (
    CALL_TIMEOUT_S,
    DISCOVERY_TIMEOUT_S,
    MAX_RESPONSE_BYTES,
    Answered,
    Discovery,
    DiscoveryFailedError,
    Forwarded,
    NotAnswered,
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
        exchange = Exchange(deadline, MAX_RESPONSE_BYTES)
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
