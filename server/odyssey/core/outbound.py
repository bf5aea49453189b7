"""The one client for requests to addresses other people choose.

Every request has a connection of its own and is sent at most once: a pooled connection would skip the
address check and could die between two requests, which leaves only a false error or a second send.
"""

import asyncio
import functools
import io
import os
import re
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, get_args

import aiohttp
from multidict import CIMultiDict

from odyssey.core.addresses import (
    AddressPolicy,
    AddressRules,
    Resolve,
    Target,
    read_target,
    system_resolve,
)
from odyssey.core.outbound_connect import (
    AddressRefusedError,
    AnswerTooLargeError,
    BadEncodingError,
    BodyReader,
    BoundedResponse,
    CheckedConnector,
    ConnectFailedError,
    ConnectionLostError,
    NotHttpError,
    OutboundError,
    OutboundExchange,
    RequestInvalidError,
    TimedOutError,
    asking,
    at_most_once,
)

__all__ = [
    "CONNECT_TIMEOUT_S",
    "MAX_BODY_BYTES",
    "AddressRefusedError",
    "AnswerTooLargeError",
    "BadEncodingError",
    "ConnectFailedError",
    "ConnectionLostError",
    "Method",
    "NotHttpError",
    "OutboundClient",
    "OutboundError",
    "OutboundReply",
    "OutboundStream",
    "RequestInvalidError",
    "TimedOutError",
    "header_problem",
]

MAX_BODY_BYTES = 1024 * 1024
CONNECT_TIMEOUT_S = 10.0

Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

_METHODS = frozenset(get_args(Method))
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")
_NOT_IN_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_OWN_HEADERS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


@dataclass(frozen=True, slots=True)
class OutboundReply:
    status: int
    headers: Mapping[str, str]
    """Looked up without regard to case."""
    body: bytes


class OutboundStream:
    """An answer whose body is still to come; good inside the `async with` that opened it."""

    def __init__(self, exchange: OutboundExchange, response: aiohttp.ClientResponse, max_bytes: int) -> None:
        self.status = response.status
        self.headers: Mapping[str, str] = response.headers
        """Looked up without regard to case."""
        self._exchange = exchange
        self._content = response.content
        encoding = response.headers.get("Content-Encoding", "")
        self._reader = BodyReader(exchange.target.where, response.status, encoding, max_bytes)

    async def read(self) -> bytes:
        """The whole body, unpacked; raises as `chunks` does."""
        unpacked: list[bytes] = []
        async with _limited(self._exchange):
            while piece := await self._content.readany():
                unpacked.append(self._reader.feed(piece))
        self._reader.finish()
        return b"".join(unpacked)

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body once, unpacked, as it arrives; raises an OutboundError when it breaks off."""
        while True:
            async with _limited(self._exchange):
                piece = await self._content.readany()
            if not piece:
                break
            if unpacked := self._reader.feed(piece):
                yield unpacked
        self._reader.finish()


def header_problem(name: str, value: str) -> str | None:
    """Why a header of the user's cannot be sent, as a sentence without the value, or None."""
    if not _HEADER_NAME.fullmatch(name):
        return f"{name[:80]!r} is not an HTTP header name."
    if name.lower() in _OWN_HEADERS:
        return f"The header {name} belongs to the connection and cannot be set."
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return f"The value of the header {name} is not valid Unicode text."
    if _NOT_IN_VALUE.search(value):
        return f"The value of the header {name} contains a line break or another control character."
    return None


class OutboundClient:
    """Asks addresses that the policy allows, and bounds whatever comes back.

    It belongs to the event loop of its first request.
    """

    def __init__(
        self, addresses: AddressRules, *, resolve: Resolve = system_resolve, tls: ssl.SSLContext | None = None
    ) -> None:
        self._addresses = addresses
        self._resolve = resolve
        self._tls = tls or ssl.create_default_context()
        self._session: aiohttp.ClientSession | None = None
        self._live: set[OutboundExchange] = set()
        self._closed = False

    async def post_json(
        self,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        timeout_s: float,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        max_bytes: int = MAX_BODY_BYTES,
    ) -> OutboundReply:
        """Send one POST of JSON that wants JSON back; otherwise as `request`."""
        sent = CIMultiDict(headers)
        sent.setdefault("Accept", "application/json")
        return await self.request(
            "POST",
            url,
            headers=sent,
            body=body,
            timeout_s=timeout_s,
            connect_timeout_s=connect_timeout_s,
            max_bytes=max_bytes,
        )

    async def request(
        self,
        method: Method,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        timeout_s: float,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        max_bytes: int = MAX_BODY_BYTES,
    ) -> OutboundReply:
        """Send one request at most once and read the whole answer, or raise an OutboundError.

        `timeout_s` covers everything from the look-up of the name to the last byte of the answer. A body
        is JSON unless the headers say otherwise. Redirects are answers.
        """
        sending = self.stream(
            method,
            url,
            headers=headers,
            body=body,
            timeout_s=timeout_s,
            connect_timeout_s=connect_timeout_s,
            max_bytes=max_bytes,
        )
        async with sending as answer:
            return OutboundReply(answer.status, answer.headers, await answer.read())

    @asynccontextmanager
    async def stream(
        self,
        method: Method,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        timeout_s: float,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        max_bytes: int = MAX_BODY_BYTES,
    ) -> AsyncIterator[OutboundStream]:
        """As `request`, but the body is read as it comes; leaving the `async with` closes the connection.

        `timeout_s` counts from here to the last byte, and `max_bytes` over the whole body.
        """
        deadline = asyncio.get_running_loop().time() + timeout_s
        policy = await self._addresses.now()
        if self._closed:
            raise RuntimeError("the outbound client is closed")
        if method not in _METHODS:
            raise RequestInvalidError(f"{str(method)[:40]!r} is not a method Odyssey sends.")
        target = _read_target(url, policy)
        sent = _request_headers(headers, has_body=body is not None)
        exchange = OutboundExchange(target, policy, deadline)
        session = self._open_session()
        self._live.add(exchange)
        try:
            async with _limited(exchange):
                with asking(exchange):
                    response = await session.request(
                        method,
                        target.url,
                        data=_payload(body),
                        headers=sent,
                        allow_redirects=False,
                        timeout=_connecting_within(connect_timeout_s),
                    )
            try:
                yield OutboundStream(exchange, response, max_bytes)
            finally:
                response.close()
        finally:
            self._live.discard(exchange)
            exchange.abort()

    async def close(self) -> None:
        """Break off what is under way and take no more requests."""
        self._closed = True
        for exchange in self._live:
            exchange.abort()
        if self._session is not None:
            await self._session.close()

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=CheckedConnector(self._resolve, self._tls),
                cookie_jar=aiohttp.DummyCookieJar(),
                response_class=BoundedResponse,
                auto_decompress=False,
                skip_auto_headers=("Content-Type",),
                trust_env=False,
                middlewares=(at_most_once,),
            )
        return self._session


def _read_target(url: str, policy: AddressPolicy) -> Target:
    try:
        target = read_target(url)
    except ValueError as error:
        raise AddressRefusedError(str(error)) from None
    if target.literal is not None:  # aiohttp asks no resolver about these
        refusal = policy.refusal(target.scheme, target.host, target.port, target.literal)
        if refusal is not None:
            raise AddressRefusedError(refusal)
    return target


@asynccontextmanager
async def _limited(exchange: OutboundExchange) -> AsyncIterator[None]:
    """Wait for the network here: never past the deadline, and every failure is an OutboundError."""
    try:
        async with asyncio.timeout_at(exchange.deadline):
            yield
    except (aiohttp.ClientError, OSError) as error:
        # `from None`: the library's text names addresses behind the host the user gave.
        raise _typed(error, exchange.target, connected=exchange.transport is not None) from None


@functools.lru_cache(64)
def _connecting_within(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=None, connect=seconds, ceil_threshold=float("inf"))


def _payload(body: bytes | None) -> bytes | io.BytesIO | None:
    # aiohttp warns about bytes over 1 MiB because it would write them in one go.
    return body if body is None or len(body) <= MAX_BODY_BYTES else io.BytesIO(body)


def _request_headers(headers: Mapping[str, str], *, has_body: bool) -> CIMultiDict[str]:
    for name, value in headers.items():
        problem = header_problem(name, value)
        if problem is not None:
            raise RequestInvalidError(problem)
    sent = CIMultiDict(headers)
    sent["Accept-Encoding"] = "identity"
    if has_body:
        sent.setdefault("Content-Type", "application/json")
    sent.setdefault("User-Agent", "Odyssey")
    return sent


def _typed(error: Exception, target: Target, *, connected: bool) -> OutboundError:
    place = target.where
    if not connected:
        return ConnectFailedError(_connect_problem(error, target))
    if isinstance(error, TimeoutError):
        return TimedOutError(f"{place} did not finish its answer in time.")
    if isinstance(error, aiohttp.ClientResponseError):
        return NotHttpError(f"{place} answered with something that is not HTTP.")
    return ConnectionLostError(f"{place} closed the connection before its answer was complete.")


def _connect_problem(error: Exception, target: Target) -> str:
    place = target.where
    if isinstance(error, TimeoutError):
        return f"{place} could not be reached in time."
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return f"The name {target.host} does not resolve."
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        reason = getattr(error.certificate_error, "verify_message", "") or "it does not verify"
        return f"The TLS certificate of {place} is refused: {reason}."
    if isinstance(error, aiohttp.ClientConnectorSSLError):
        return f"TLS with {place} failed; is it an https server?"
    number = getattr(error, "errno", None)
    reason = os.strerror(number) if number else "the connection failed"
    return f"{place} could not be reached: {reason}."
