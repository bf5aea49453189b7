"""One session with an MCP server, kept by a task of its own and shared by the calls of one run."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import httpx2
from mcp import Client, MCPError
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp_types import (
    HEADER_MISMATCH,
    CallToolRequest,
    CallToolRequestParams,
    Implementation,
    PaginatedRequestParams,
    Request,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import RootModel, ValidationError

from odyssey import __version__
from odyssey.core.outbound import OutboundClient
from odyssey.endpoints.mcp.transport import (
    SIDE_TIMEOUT_S,
    EndpointTransport,
    HopFailedError,
    McpExchange,
    under_way,
)
from odyssey.endpoints.upstream import MAX_RESPONSE_BYTES, NotAnswered
from odyssey.kit.words import shorten

OPEN_TIMEOUT_S = 30.0
MAX_PAGES = 100

log = logging.getLogger(__name__)

_US = Implementation(name="odyssey", version=__version__)
_MAX_MESSAGE = 300
_LOST = "The session with the service ended before an answer came."

T = TypeVar("T")


class Verbatim(RootModel[dict[str, Any]]):
    """A result as the service sent it, once the SDK has found it to be one."""


class McpSession:
    """The SDK's scopes must be left by the task that entered them, so one task owns the session to its end."""

    def __init__(self, client: OutboundClient, url: str, auth_headers: Mapping[str, str]) -> None:
        self.users = 0
        self.idle: asyncio.TimerHandle | None = None
        self._transport = EndpointTransport(client, url, auth_headers)
        self._url = url
        self._opened: asyncio.Future[ClientSession] = asyncio.get_running_loop().create_future()
        self._ending = asyncio.Event()
        self._asking: set[asyncio.Task[Any]] = set()
        self._owner = asyncio.create_task(self._own())

    @property
    def is_over(self) -> bool:
        return self._ending.is_set() or self._owner.done()

    async def ask(self, request: Request[Any, Any], exchange: McpExchange) -> dict[str, Any]:
        """Send one request at most once; raises HopFailedError, or MCPError for an error the service answers."""
        result = await self._within(exchange, lambda session: session.send_request(request, Verbatim))
        return result.root

    async def call(self, tool_name: str, arguments: dict[str, Any], exchange: McpExchange) -> dict[str, Any]:
        """Ask a tool; sent again only when the service refused it unread for want of a header."""
        request = CallToolRequest(params=CallToolRequestParams(name=tool_name, arguments=arguments))
        try:
            return await self.ask(request, exchange)
        except MCPError as error:
            version = self._opened.result().protocol_version
            if error.code != HEADER_MISMATCH or version not in MODERN_PROTOCOL_VERSIONS:
                raise
        await self._learn_headers(tool_name, McpExchange(exchange.deadline, MAX_RESPONSE_BYTES))
        return await self.ask(request, exchange)

    async def close(self) -> None:
        self._ending.set()
        if self._opened.done():
            await asyncio.wait({self._owner}, timeout=2 * SIDE_TIMEOUT_S)
        if not self._owner.done():
            self._owner.cancel()
        await asyncio.wait({self._owner, *self._asking})

    async def _own(self) -> None:
        exchange = McpExchange(asyncio.get_running_loop().time() + OPEN_TIMEOUT_S, MAX_RESPONSE_BYTES)
        under_way.set(exchange)
        try:
            async with httpx2.AsyncClient(transport=self._transport, trust_env=False, timeout=None) as http:
                # No limit for one event: the transport has one for all of them.
                streams = streamable_http_client(self._url, http_client=http, max_sse_event_size=None)
                async with Client(streams, mode="auto", cache=None, client_info=_US) as client:
                    self._opened.set_result(client.session)
                    await self._ending.wait()
        except Exception as error:  # noqa: BLE001 - whatever a peer makes the SDK raise ends this session only
            if not self._opened.done():
                self._opened.set_exception(HopFailedError(_not_opened(exchange, error)))
                self._opened.exception()  # nobody may be waiting for it
        finally:
            self._opened.cancel()

    async def _learn_headers(self, tool_name: str, exchange: McpExchange) -> None:
        """Have the SDK read in the list of tools which arguments of this one it must repeat as headers."""
        params = PaginatedRequestParams()
        try:
            for _ in range(MAX_PAGES):
                page = await self._within(exchange, partial(ClientSession.list_tools, params=params))
                if page.next_cursor is None or any(tool.name == tool_name for tool in page.tools):
                    return
                params = PaginatedRequestParams(cursor=page.next_cursor)
        except HopFailedError as error:
            raise HopFailedError(error.failure._replace(outcome="not_sent")) from None
        except MCPError as error:
            message = f"The service does not list its tools: {shortened(error.message)} ({error.code})."
            raise HopFailedError(NotAnswered("upstream_protocol_error", message, "not_sent")) from None

    async def _within(
        self, exchange: McpExchange, work: Callable[[ClientSession], Coroutine[Any, Any, T]]
    ) -> T:
        session = await self._ready(exchange)
        context = under_way.set(exchange)
        try:
            asking = asyncio.create_task(work(session))
        finally:
            under_way.reset(context)
        self._asking.add(asking)
        asking.add_done_callback(self._asked)
        try:
            # Cancelled, the task first tells the service so; that is not waited for.
            await asyncio.wait({asking}, timeout=exchange.remaining_s())
        finally:
            asking.cancel()
        if not asking.done():
            exchange.fail("upstream_timeout", "The service did not answer in time.")
            raise _failed(exchange)
        return self._result(asking, exchange)

    async def _ready(self, exchange: McpExchange) -> ClientSession:
        await asyncio.wait({self._opened}, timeout=exchange.remaining_s())
        if not self._opened.done():
            exchange.fail("upstream_timeout", "No session with the service could be opened in time.")
            raise _failed(exchange)
        if self._opened.cancelled():
            exchange.fail("upstream_connection_lost", _LOST)
            raise _failed(exchange)
        return self._opened.result()

    def _result(self, asked: asyncio.Task[T], exchange: McpExchange) -> T:
        try:
            return asked.result()
        except MCPError:
            # The SDK says of a session that ended what a service may say of anything.
            if exchange.failure is None and exchange.sent and not self.is_over:
                raise
            if exchange.failure is None:
                exchange.fail("upstream_connection_lost", _LOST)
        except ValidationError as error:
            exchange.fail(
                "upstream_protocol_error", f"The service's result is not one of MCP: {fault(error)}."
            )
        raise _failed(exchange)

    def _asked(self, task: asyncio.Task[Any]) -> None:
        self._asking.discard(task)
        if not task.cancelled():
            task.exception()  # of one that nobody waits for any more


def shortened(text: str) -> str:
    return shorten(text, _MAX_MESSAGE)


def _failed(exchange: McpExchange) -> HopFailedError:
    assert exchange.failure is not None
    return HopFailedError(exchange.failure)


def _not_opened(exchange: McpExchange, error: Exception) -> NotAnswered:
    if exchange.failure is not None:
        return exchange.failure._replace(outcome="not_sent")
    cause: BaseException = error
    while isinstance(cause, BaseExceptionGroup):
        cause = cause.exceptions[0]
    if isinstance(cause, MCPError):
        reason = f"{cause.message} ({cause.code})"
    else:
        reason = fault(cause) if isinstance(cause, ValidationError) else str(cause)
    message = f"The service did not open an MCP session: {shortened(reason)}"
    return NotAnswered("upstream_protocol_error", message, "not_sent")


def fault(error: ValidationError) -> str:
    """Where a result breaks the protocol; never with the value that is there."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(step) for step in first["loc"])
    return shortened(f"{first['msg']} at {where or 'its root'}")


# The open MCP sessions: one per endpoint and run, opened by its first call, closed with the run or when idle.

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
