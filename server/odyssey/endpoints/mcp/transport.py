"""The SDK's HTTP, carried by the one outbound client, to the one address of the endpoint and to no other.

Nothing raises here: an exception would end the SDK's session and with it every other call that shares it.
What went wrong is written into the `McpExchange`, and the SDK gets an answer that ends this one request.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

import httpx2
import msgspec

from odyssey.core.outbound import OutboundClient, OutboundError, OutboundStream
from odyssey.endpoints.upstream import NotAnswered, is_server_error, not_answered

# One MCP request on its way: what it may cost, and what became of it below the protocol.


@dataclass(slots=True)
class McpExchange:
    """Filled in by the transport, read by whoever asked: the SDK's own errors tell neither."""

    deadline: float
    """In the event loop's time."""
    max_bytes: int
    sent: bool = False
    """Whether a byte of it may have left."""
    failure: NotAnswered | None = None
    session_gone: bool = False
    """The service answered that it knows no such session, which it says before it looks at the request."""
    received: int = 0
    """Bytes of its answer so far."""
    resumed: int = 0
    """How often the stream of its answer was taken up again."""

    def remaining_s(self) -> float:
        return self.deadline - asyncio.get_running_loop().time()

    def fail(self, code: str, message: str, *, status: int | None = None) -> None:
        self.failure = NotAnswered(code, message, "unknown" if self.sent else "not_sent", status)


under_way: ContextVar[McpExchange] = ContextVar("under_way")
"""The SDK runs the HTTP of a message in the context of whoever sent the message."""


class HopFailedError(Exception):
    """No usable answer came."""

    def __init__(self, failure: NotAnswered) -> None:
        super().__init__(failure.message)
        self.failure = failure


SIDE_TIMEOUT_S = 5.0
"""For notifications, our answers to the service and the end of a session: nobody waits for what they bring."""
MAX_RESUMED = 16

_SESSION = "mcp-session-id"
_LAST_EVENT = "last-event-id"
_SESSION_ID = re.compile(r"[\x21-\x7e]{1,1024}")
_FORWARDED = ("accept", "content-type", _LAST_EVENT)
_OVER = b'\n\ndata: {"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"the exchange is over"}}\n\n'
_FAILED = 502


class _Message(msgspec.Struct):
    id: int | str | None = None
    method: str | None = None


class _Answer(msgspec.Struct):
    jsonrpc: Literal["2.0"]
    id: int | str | None = None
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class EndpointTransport(httpx2.AsyncBaseTransport):
    """What `httpx2` would open a connection for goes through the outbound client, with the endpoint's auth."""

    def __init__(self, client: OutboundClient, url: str, auth_headers: Mapping[str, str]) -> None:
        self._client = client
        self._url = url
        self._auth = {name.lower(): value for name, value in auth_headers.items()}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        exchange = under_way.get()
        body = await request.aread()
        if request.method == "GET":
            return await self._resume(request, exchange)
        message = _read_message(body) if request.method == "POST" else None
        if message is None or message.id is None or message.method is None:
            return await self._tell(request, body)
        if exchange.failure is not None and not exchange.sent:
            return httpx2.Response(_FAILED)  # the handshake after a probe that reached nobody
        exchange.failure, exchange.received = None, 0
        return await self._ask(request, exchange, body, message.id)

    async def _tell(self, request: httpx2.Request, body: bytes) -> httpx2.Response:
        """Send what has no answer; what becomes of it changes nothing."""
        method: Literal["DELETE", "POST"] = "DELETE" if request.method == "DELETE" else "POST"
        with suppress(OutboundError):
            async with self._client.stream(
                method,
                self._url,
                headers=self._headers(request),
                body=body or None,
                timeout_s=SIDE_TIMEOUT_S,
            ):
                pass
        return httpx2.Response(200 if method == "DELETE" else 202)

    async def _resume(self, request: httpx2.Request, exchange: McpExchange) -> httpx2.Response:
        """Take up the answer of a request whose stream ended; a stream of its own is not opened."""
        if _LAST_EVENT not in request.headers:
            return httpx2.Response(405)
        exchange.resumed += 1
        if exchange.resumed > MAX_RESUMED:
            return _events(_OVER)
        exchange.failure = None
        response = await self._ask(request, exchange, b"", None)
        return response if response.status_code == 200 else _events(_OVER)

    async def _ask(
        self, request: httpx2.Request, exchange: McpExchange, body: bytes, request_id: int | str | None
    ) -> httpx2.Response:
        remaining_s = exchange.remaining_s()
        if remaining_s <= 0:
            exchange.fail("upstream_timeout", "The time for this call was over before it could be sent.")
            return httpx2.Response(_FAILED)
        was_sent, exchange.sent = exchange.sent, True
        stack = AsyncExitStack()
        try:
            answer = await stack.enter_async_context(
                self._client.stream(
                    "POST" if body else "GET",
                    self._url,
                    headers=self._headers(request),
                    body=body or None,
                    timeout_s=remaining_s,
                    max_bytes=max(exchange.max_bytes - exchange.received, 0),
                )
            )
        except OutboundError as error:
            exchange.sent = was_sent or error.sent
            exchange.failure = not_answered(error)
            return httpx2.Response(_FAILED)
        if 200 <= answer.status < 300 and _content_type(answer) == "text/event-stream":
            return httpx2.Response(
                answer.status, headers=_kept(answer), stream=_Events(answer, stack, exchange)
            )
        async with stack:
            return await _whole(request, exchange, answer, request_id)

    def _headers(self, request: httpx2.Request) -> dict[str, str]:
        own = {
            name: value
            for name, value in request.headers.items()
            if name in _FORWARDED or name.startswith("mcp-")
        }
        return self._auth | own


class _Events(httpx2.AsyncByteStream):
    """A stream of events that ends the SDK's request when it can bring no answer any more."""

    def __init__(self, answer: OutboundStream, stack: AsyncExitStack, exchange: McpExchange) -> None:
        self._answer = answer
        self._stack = stack
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._answer.chunks():
                self._exchange.received += len(chunk)
                yield chunk
        except OutboundError as error:
            self._exchange.failure = not_answered(error)
            if self._exchange.failure.code != "upstream_connection_lost":
                yield _OVER
        else:  # whoever finds the answer reads no further
            self._exchange.fail(
                "upstream_connection_lost", "The service ended its stream of events without an answer."
            )

    async def aclose(self) -> None:
        await self._stack.aclose()


async def _whole(
    request: httpx2.Request, exchange: McpExchange, answer: OutboundStream, request_id: int | str | None
) -> httpx2.Response:
    """Read an answer that is not a stream, and hand it on if it is one in JSON-RPC."""
    status = answer.status
    exchange.session_gone = status == 404 and request.method == "POST" and _SESSION in request.headers
    try:
        body = b"".join([chunk async for chunk in answer.chunks()])
    except OutboundError as error:
        exchange.failure = not_answered(error)
        return httpx2.Response(_FAILED)
    exchange.received += len(body)
    problem = None
    if is_server_error(status):
        exchange.fail("upstream_5xx", f"The service answered {status}.", status=status)
    elif _content_type(answer) != "application/json":
        problem = _status_problem(status) or "with something that is neither JSON nor a stream of events"
    elif not _is_answer(body, status, request_id):
        problem = _status_problem(status) or "with JSON that is no JSON-RPC answer to what it was asked"
    if problem is not None:
        exchange.fail("upstream_protocol_error", f"The service answered {problem}.", status=status)
    if exchange.failure is not None:
        return httpx2.Response(_FAILED)
    return httpx2.Response(status, headers=_kept(answer), content=body)


def _status_problem(status: int) -> str | None:
    if 300 <= status < 400:
        return f"{status}, a redirect, which is never followed; use the address it leads to"
    if status in (401, 403):
        return f"{status}; check the endpoint's auth"
    if status in (404, 405):
        return f"{status}; check the endpoint's address, it must be that of an MCP server"
    return None if 200 <= status < 300 and status != 202 else f"{status} and no JSON-RPC"


def _is_answer(body: bytes, status: int, request_id: int | str | None) -> bool:
    """Whether the SDK will find the one who asked: it waits for ever for an answer under another id."""
    try:
        answer = msgspec.json.decode(body, type=_Answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    if (answer.result is msgspec.UNSET) == (answer.error is msgspec.UNSET):
        return False
    if status >= 400:  # the SDK takes an error there for the answer, whatever its id
        return answer.error is not msgspec.UNSET
    return str(answer.id) == str(request_id)


def _read_message(body: bytes) -> _Message | None:
    try:
        return msgspec.json.decode(body, type=_Message)
    except msgspec.DecodeError:
        return None


def _content_type(answer: OutboundStream) -> str:
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower()


def _kept(answer: OutboundStream) -> dict[str, Any]:
    """Keep the two headers the SDK needs; without `Location` and cookies there is nothing it could follow."""
    headers = {"content-type": _content_type(answer)}
    session_id = answer.headers.get(_SESSION)
    if session_id is not None and _SESSION_ID.fullmatch(session_id):
        headers[_SESSION] = session_id
    return headers


def _events(content: bytes) -> httpx2.Response:
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=content)
