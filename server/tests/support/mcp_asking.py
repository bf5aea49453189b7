"""Ask an MCP server through `McpUpstream`, and look that nothing is left of it afterwards."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from support.tls import TLS

from odyssey.core.addresses import AddressPolicy
from odyssey.core.outbound import OutboundClient
from odyssey.endpoints.mcp.session import McpSessions
from odyssey.endpoints.mcp.upstream import McpUpstream
from odyssey.endpoints.upstream import Discovery, DiscoveryFailedError, Forwarded

Result = TypeVar("Result")
Asking = Callable[[McpUpstream, McpSessions], Awaitable[Result]]

NO_HEADERS: Mapping[str, str] = MappingProxyType({})
TIME_S = 60.0


def asking(
    url: str,
    work: Asking[Result],
    *,
    headers: Mapping[str, str] = NO_HEADERS,
    timeout_s: float = TIME_S,
    **limits: Any,
) -> Result:
    """Do some work with an endpoint; fails if a task outlives the sessions."""

    async def run() -> Result:
        client = OutboundClient(AddressPolicy(allow_loopback=True), tls=TLS)
        sessions = McpSessions(client, **limits)
        try:
            return await work(McpUpstream(sessions, url, headers, timeout_s=timeout_s), sessions)
        finally:
            await sessions.close()
            await client.close()
            left = asyncio.all_tasks() - {asyncio.current_task()}
            assert not left, left

    return asyncio.run(run())


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what happens in the server's thread."""
    while not condition():  # noqa: ASYNC110 - an event is of one loop
        await asyncio.sleep(0.005)


def call(
    url: str, tool_name: str = "echo", arguments: Mapping[str, Any] = MappingProxyType({}), **options: Any
) -> Forwarded:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> Forwarded:
        return await upstream.call(tool_name, dict(arguments), session="run-1")

    return asking(url, work, **options)


def discover(url: str, **options: Any) -> Discovery:
    async def work(upstream: McpUpstream, sessions: McpSessions) -> Discovery:
        return await upstream.discover()

    return asking(url, work, **options)


def undiscoverable(url: str, **options: Any) -> DiscoveryFailedError:
    try:
        found = discover(url, **options)
    except DiscoveryFailedError as error:
        return error
    raise AssertionError(found)
