"""The open MCP sessions: one per endpoint and run, opened by its first call, closed with the run or when idle."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from odyssey.core.outbound import OutboundClient
from odyssey.endpoints.mcp.exchange import HopFailedError
from odyssey.endpoints.mcp.session import McpSession
from odyssey.endpoints.upstream import NotAnswered

MAX_IDLE_S = 600.0
MAX_OPEN = 500

_Key = tuple[str, tuple[tuple[str, str], ...], object]


class McpSessions:
    def __init__(
        self, client: OutboundClient, *, max_idle_s: float = MAX_IDLE_S, max_open: int = MAX_OPEN
    ) -> None:
        self._client = client
        self._max_idle_s = max_idle_s
        self._max_open = max_open
        self._open: dict[_Key, McpSession] = {}
        """The one unused for longest first."""
        self._closing: set[asyncio.Task[None]] = set()
        self._is_closed = False

    @asynccontextmanager
    async def lease(
        self, url: str, auth_headers: Mapping[str, str], session: str
    ) -> AsyncIterator[McpSession]:
        """Give the session of a run with an endpoint; without a name, one for this use alone.

        Raises HopFailedError when no more may be opened.
        """
        key = (url, tuple(sorted(auth_headers.items())), session or object())
        leased = self._take(key, auth_headers)
        try:
            yield leased
        finally:
            leased.users -= 1
            if not session:
                self._open.pop(key, None)
                await self._close(leased)
            elif leased.users == 0:
                self._rest(key, leased)

    def discard(self, leased: McpSession) -> None:
        """Let nobody else begin on a session that is of no more use; it is closed when its last user leaves."""
        for key, kept in self._open.items():
            if kept is leased:
                del self._open[key]
                break

    async def end(self, session: str) -> None:
        """Close what a run has open; its calls under way get no answer."""
        ended = [key for key in self._open if key[2] == session]
        await asyncio.gather(*[self._close(self._open.pop(key)) for key in ended])

    async def close(self) -> None:
        self._is_closed = True
        every = list(self._open.values())
        self._open.clear()
        await asyncio.gather(*[self._close(kept) for kept in every], *self._closing)

    def _take(self, key: _Key, auth_headers: Mapping[str, str]) -> McpSession:
        kept = self._open.pop(key, None)
        if kept is None or kept.is_over:
            kept = self._new(key[0], auth_headers)
        self._open[key] = kept
        kept.users += 1
        if kept.idle is not None:
            kept.idle.cancel()
            kept.idle = None
        return kept

    def _new(self, url: str, auth_headers: Mapping[str, str]) -> McpSession:
        if self._is_closed:
            raise HopFailedError(NotAnswered("upstream_unreachable", "Odyssey is shutting down.", "not_sent"))
        if len(self._open) >= self._max_open:
            unused = next((key for key, kept in self._open.items() if kept.users == 0), None)
            if unused is None:
                message = f"{self._max_open} sessions with MCP servers are in use, which is all there may be."
                raise HopFailedError(NotAnswered("upstream_unreachable", message, "not_sent"))
            self._close_soon(self._open.pop(unused))
        return McpSession(self._client, url, auth_headers)

    def _rest(self, key: _Key, unused: McpSession) -> None:
        if self._open.get(key) is not unused:  # discarded, or ended under its users
            self._close_soon(unused)
        elif unused.is_over:
            del self._open[key]
        else:
            self._open[key] = self._open.pop(key)
            loop = asyncio.get_running_loop()
            unused.idle = loop.call_later(self._max_idle_s, self._expire, key, unused)

    def _expire(self, key: _Key, unused: McpSession) -> None:
        if self._open.get(key) is unused:
            del self._open[key]
            self._close_soon(unused)

    def _close_soon(self, leaving: McpSession) -> None:
        task = asyncio.create_task(self._close(leaving))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _close(self, leaving: McpSession) -> None:
        if leaving.idle is not None:
            leaving.idle.cancel()
        await leaving.close()
