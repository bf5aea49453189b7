"""The one client for requests to addresses other people choose.

Every request has a connection of its own: a dispatch is one POST per run, so nothing is gained by keeping
connections, while a pooled one would skip the address check and could die between two requests, which for a
POST leaves only a false error or a second send.
"""

import asyncio
import io
import os
import re
import ssl
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from socket import AF_INET, AF_INET6, AI_NUMERICHOST, AddressFamily
from typing import ClassVar

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.tracing import Trace
from multidict import CIMultiDict

from odyssey.core.addresses import AddressPolicy, Resolve, Target, read_target, system_resolve

MAX_BODY_BYTES = 1024 * 1024
CONNECT_TIMEOUT_S = 10.0

_PARTIAL_BYTES = 128 * 1024
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


class OutboundError(Exception):
    """A request without a usable answer; the message is for the user and holds no secret.

    OutboundError
      RequestInvalidError    nothing was sent: a header cannot be
      AddressRefusedError    nothing was sent: the address is not one Odyssey connects to
      ConnectFailedError     nothing was sent: DNS, refused, TLS, or no connection in time
      TimedOutError          the answer was not complete in time
      ConnectionLostError    the connection broke, or what came was not HTTP
      BodyTooLargeError      the answer is over the limit
      BadEncodingError       the answer's content encoding cannot be undone
    """

    kind: ClassVar[str] = "outbound"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class RequestInvalidError(OutboundError):
    kind = "request_invalid"


class AddressRefusedError(OutboundError):
    kind = "address_refused"


class ConnectFailedError(OutboundError):
    kind = "connect_failed"


class TimedOutError(OutboundError):
    kind = "timed_out"


class ConnectionLostError(OutboundError):
    kind = "connection_lost"


class _UnreadableBodyError(OutboundError):
    """The status arrived, the body is of no use; what came of it is kept as evidence."""

    def __init__(self, message: str, *, status: int, partial: bytes) -> None:
        super().__init__(message)
        self.status = status
        self.partial = partial[:_PARTIAL_BYTES]


class BodyTooLargeError(_UnreadableBodyError):
    kind = "body_too_large"


class BadEncodingError(_UnreadableBodyError):
    kind = "bad_encoding"


@dataclass(frozen=True, slots=True)
class OutboundReply:
    status: int
    headers: Mapping[str, str]
    """Looked up without regard to case."""
    body: bytes


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
    """Posts to addresses that the policy allows, and bounds whatever comes back."""

    def __init__(
        self, policy: AddressPolicy, *, resolve: Resolve = system_resolve, tls: ssl.SSLContext | None = None
    ) -> None:
        self._policy = policy
        self._resolve = resolve
        self._tls = tls or ssl.create_default_context()
        self._live: set[aiohttp.ClientSession] = set()
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
        """Send one POST exactly once and read the whole answer, or raise an OutboundError.

        `timeout_s` covers everything from the look-up of the name to the last byte of the answer.
        """
        if self._closed:
            raise RuntimeError("the outbound client is closed")
        target = self._read_target(url)
        sent = _request_headers(headers)
        connector = _CheckedConnector(target, self._policy, self._resolve, self._tls)
        limits = aiohttp.ClientTimeout(total=None, connect=connect_timeout_s, ceil_threshold=float("inf"))
        session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=limits,
            auto_decompress=False,
            trust_env=False,
        )
        self._live.add(session)
        try:
            async with asyncio.timeout(timeout_s):
                return await _exchange(session, target, body, sent, max_bytes)
        except (aiohttp.ClientError, OSError) as error:
            # `from None`: the library's text names addresses behind the host the user gave.
            raise _typed(error, target, connected=connector.connected) from None
        finally:
            self._live.discard(session)
            connector.abort()
            await session.close()

    async def close(self) -> None:
        """Break off what is under way and take no more requests."""
        self._closed = True
        for session in tuple(self._live):
            await session.close()

    def _read_target(self, url: str) -> Target:
        try:
            target = read_target(url)
        except ValueError as error:
            raise AddressRefusedError(str(error)) from None
        if target.literal is not None:  # aiohttp asks no resolver about these
            refusal = self._policy.refusal(target.scheme, target.host, target.port, target.literal)
            if refusal is not None:
                raise AddressRefusedError(refusal)
        return target


class _CheckedResolver(AbstractResolver):
    """Resolves one target's name; one refused address refuses the name."""

    def __init__(self, target: Target, policy: AddressPolicy, resolve: Resolve) -> None:
        self._target = target
        self._policy = policy
        self._resolve = resolve

    async def resolve(
        self,
        host: str,
        port: int = 0,  # noqa: ARG002 - aiohttp's signature
        family: AddressFamily = AF_INET,  # noqa: ARG002
    ) -> list[ResolveResult]:
        target = self._target
        addresses = await self._resolve(target.host, target.port)
        if not addresses:
            raise OSError("no address")
        for address in addresses:
            refusal = self._policy.refusal(target.scheme, target.host, target.port, address)
            if refusal is not None:
                raise AddressRefusedError(refusal)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=target.port,
                family=AF_INET6 if ":" in address else AF_INET,
                proto=0,
                flags=AI_NUMERICHOST,
            )
            for address in addresses
        ]

    async def close(self) -> None:
        pass


class _CheckedConnector(aiohttp.TCPConnector):
    """One connection to one target, whose peer is checked again before a byte of the request leaves."""

    def __init__(self, target: Target, policy: AddressPolicy, resolve: Resolve, tls: ssl.SSLContext) -> None:
        super().__init__(
            resolver=_CheckedResolver(target, policy, resolve), use_dns_cache=False, force_close=True, ssl=tls
        )
        self._target = target
        self._policy = policy
        self._transport: asyncio.Transport | None = None

    @property
    def connected(self) -> bool:
        return self._transport is not None

    def abort(self) -> None:
        """Let go of the socket now: closing would first wait for a peer that reads no more."""
        if self._transport is not None:
            self._transport.abort()

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's signature
    ) -> aiohttp.connector.Connection:
        connection = await super().connect(req, traces, timeout)
        transport, target = connection.transport, self._target
        peer = None if transport is None else transport.get_extra_info("peername")
        if peer is None:
            connection.close()
            raise ConnectFailedError(f"{target.where} closed the connection at once.")
        refusal = self._policy.refusal(target.scheme, target.host, target.port, peer[0])
        if refusal is not None:
            connection.close()
            raise AddressRefusedError(refusal)
        self._transport = transport
        return connection


async def _exchange(
    session: aiohttp.ClientSession, target: Target, body: bytes, headers: CIMultiDict[str], max_bytes: int
) -> OutboundReply:
    # aiohttp warns about bytes over 1 MiB because it would write them in one go.
    data = body if len(body) <= MAX_BODY_BYTES else io.BytesIO(body)
    async with session.post(target.url, data=data, headers=headers, allow_redirects=False) as response:
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        encoded = encoding not in ("", "identity")
        # An incompressible body grows a little when it is packed.
        raw_limit = max_bytes + max_bytes // 64 + 1024 if encoded else max_bytes
        raw = bytearray()
        async for chunk in response.content.iter_any():
            raw += chunk
            if len(raw) > raw_limit:
                raise _too_large(target, max_bytes, response.status, bytes(raw))
        received = bytes(raw)
        if encoded and received:
            received = _unpack(received, encoding, target, max_bytes, response.status)
        return OutboundReply(response.status, response.headers, received)


def _unpack(raw: bytes, encoding: str, target: Target, max_bytes: int, status: int) -> bytes:
    if encoding in ("gzip", "x-gzip"):
        window_bits = zlib.MAX_WBITS | 16
    elif encoding == "deflate":
        window_bits = zlib.MAX_WBITS if _has_zlib_header(raw) else -zlib.MAX_WBITS
    else:
        message = f"{target.where} sent a content encoding that was not asked for: {encoding[:40]!r}."
        raise BadEncodingError(message, status=status, partial=raw)
    unpacker = zlib.decompressobj(window_bits)
    try:
        unpacked = unpacker.decompress(raw, max_bytes + 1)
    except zlib.error:
        message = f"{target.where} said {encoding} but sent something else."
        raise BadEncodingError(message, status=status, partial=raw) from None
    if len(unpacked) > max_bytes:
        raise _too_large(target, max_bytes, status, unpacked)
    if not unpacker.eof or unpacker.unused_data:
        message = f"{target.where} sent a {encoding} body that is cut short or followed by other bytes."
        raise BadEncodingError(message, status=status, partial=unpacked)
    return unpacked


def _has_zlib_header(raw: bytes) -> bool:
    """Tell zlib from raw deflate: servers send both under the one name."""
    return len(raw) >= 2 and raw[0] & 0x0F == zlib.DEFLATED and (raw[0] << 8 | raw[1]) % 31 == 0


def _too_large(target: Target, max_bytes: int, status: int, partial: bytes) -> BodyTooLargeError:
    message = f"{target.where} answered {status} with a body over {max_bytes} bytes."
    return BodyTooLargeError(message, status=status, partial=partial)


def _request_headers(headers: Mapping[str, str]) -> CIMultiDict[str]:
    for name, value in headers.items():
        problem = header_problem(name, value)
        if problem is not None:
            raise RequestInvalidError(problem)
    sent = CIMultiDict(headers)
    sent["Accept-Encoding"] = "identity"
    sent.setdefault("Content-Type", "application/json")
    sent.setdefault("Accept", "application/json")
    sent.setdefault("User-Agent", "Odyssey")
    return sent


def _typed(error: Exception, target: Target, *, connected: bool) -> OutboundError:
    place = target.where
    if not connected:
        return ConnectFailedError(_connect_problem(error, target))
    if isinstance(error, TimeoutError):
        return TimedOutError(f"{place} did not finish its answer in time.")
    if isinstance(error, aiohttp.ClientResponseError):
        return ConnectionLostError(f"{place} answered with something that is not HTTP.")
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
