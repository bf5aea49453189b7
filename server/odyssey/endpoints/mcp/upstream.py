"""An MCP server as what stands behind passthrough tools."""

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
from mcp import MCPError

from odyssey.endpoints.mcp.exchange import Exchange, HopFailedError
from odyssey.endpoints.mcp.listing import list_tools
from odyssey.endpoints.mcp.results import read_error, read_result
from odyssey.endpoints.mcp.sessions import McpSessions
from odyssey.endpoints.upstream import (
    CALL_TIMEOUT_S,
    DISCOVERY_TIMEOUT_S,
    MAX_RESPONSE_BYTES,
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
