"""What lies below the outbound client: how a request can fail, its connections, and the body of an answer."""

import asyncio
import ssl
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from socket import AF_INET, AF_INET6, AI_NUMERICHOST, AddressFamily
from typing import Any, ClassVar

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.tracing import Trace

from odyssey.core.addresses import AddressPolicy, Resolve, Target

# How a request to somebody else's address can fail.

PARTIAL_BYTES = 128 * 1024
"""How much of a body that cannot be used is kept as evidence."""


class OutboundError(Exception):
    """A request without a usable answer; the message is for the user and holds no secret.

    OutboundError
      RequestInvalidError    nothing was sent: the method or a header cannot be
      AddressRefusedError    nothing was sent: the address is not one Odyssey connects to
      ConnectFailedError     nothing was sent: DNS, refused, TLS, or no connection in time
      TimedOutError          the answer was not complete in time
      ConnectionLostError    the connection broke
        NotHttpError         what came was not HTTP
      BodyTooLargeError      the answer is over the limit
      BadEncodingError       the answer's content encoding cannot be undone
    """

    kind: ClassVar[str] = "outbound"
    sent: ClassVar[bool] = True
    """Whether the request may have reached its peer."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class RequestInvalidError(OutboundError):
    kind = "request_invalid"
    sent = False


class AddressRefusedError(OutboundError):
    kind = "address_refused"
    sent = False


class ConnectFailedError(OutboundError):
    kind = "connect_failed"
    sent = False


class TimedOutError(OutboundError):
    kind = "timed_out"


class ConnectionLostError(OutboundError):
    kind = "connection_lost"


class NotHttpError(ConnectionLostError):
    kind = "not_http"


class UnreadableBodyError(OutboundError):
    """The status arrived, the body is of no use; what was understood of it is kept as evidence."""

    def __init__(self, message: str, *, status: int, partial: bytes) -> None:
        super().__init__(message)
        self.status = status
        self.partial = partial[:PARTIAL_BYTES]


class AnswerTooLargeError(UnreadableBodyError):
    kind = "body_too_large"


class BadEncodingError(UnreadableBodyError):
    kind = "bad_encoding"


# Connections of the outbound client: one each, to an address the policy allows at that moment.

MOST_INTERIM = 100
"""Answers of the kind 1xx before the one that counts: one every twenty seconds of the longest run is fewer."""


@dataclass(slots=True, eq=False)
class OutboundExchange:
    """One request under way: whom it asks, until when, and over which connection once it has one."""

    target: Target
    policy: AddressPolicy
    deadline: float
    transport: asyncio.Transport | None = None

    def abort(self) -> None:
        """Let go of the socket now: closing would first wait for a peer that reads no more."""
        if self.transport is not None:
            self.transport.abort()


_asking: ContextVar[OutboundExchange] = ContextVar("asking")


@contextmanager
def asking(exchange: OutboundExchange) -> Iterator[None]:
    """Connections made in here are this exchange's; without one, none is made."""
    token = _asking.set(exchange)
    try:
        yield
    finally:
        _asking.reset(token)


async def at_most_once(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """A middleware that ends the request with its connection.

    aiohttp sends GET, HEAD, PUT, DELETE and OPTIONS again after either of these two errors, but not after
    the one that both are kinds of.
    """
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise  # nothing was sent, and aiohttp does not try again
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError):
        raise aiohttp.ClientConnectionError("the connection was lost") from None


class BoundedResponse(aiohttp.ClientResponse):
    """An answer that comes after a bounded number of interim ones (1xx); aiohttp would read those for ever."""

    async def start(self, connection: aiohttp.connector.Connection) -> aiohttp.ClientResponse:
        protocol, where = connection.protocol, _asking.get().target.where
        assert protocol is not None
        read, reads = protocol.read, count(1)

        async def read_bounded() -> Any:
            if next(reads) > MOST_INTERIM + 1:
                raise NotHttpError(
                    f"{where} sent over {MOST_INTERIM} interim answers (1xx) and no final one."
                )
            return await read()

        protocol.read = read_bounded  # type: ignore[method-assign]
        return await super().start(connection)


class CheckedConnector(aiohttp.TCPConnector):
    """A connection for every request and never a second one, however many others wait for theirs.

    The peer is checked once more before a byte of the request leaves.
    """

    def __init__(self, resolve: Resolve, tls: ssl.SSLContext) -> None:
        super().__init__(
            resolver=_CheckedResolver(resolve),
            use_dns_cache=False,
            force_close=True,
            limit=0,
            ssl=tls,
        )

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - aiohttp's signature
    ) -> aiohttp.connector.Connection:
        exchange = _asking.get()
        connection = await super().connect(req, traces, timeout)
        transport, target = connection.transport, exchange.target
        peer = None if transport is None else transport.get_extra_info("peername")
        if peer is None:
            connection.close()
            raise ConnectFailedError(f"{target.where} closed the connection at once.")
        refusal = exchange.policy.refusal(target.scheme, target.host, target.port, peer[0])
        if refusal is not None:
            connection.close()
            raise AddressRefusedError(refusal)
        exchange.transport = transport
        return connection


class _CheckedResolver(AbstractResolver):
    """Resolves the name of the target that is being asked; one refused address refuses the name."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve

    async def resolve(
        self,
        host: str,
        port: int = 0,  # noqa: ARG002 - aiohttp's signature
        family: AddressFamily = AF_INET,  # noqa: ARG002
    ) -> list[ResolveResult]:
        exchange = _asking.get()
        target = exchange.target
        addresses = await self._resolve(target.host, target.port)
        if not addresses:
            raise OSError("no address")
        for address in addresses:
            refusal = exchange.policy.refusal(target.scheme, target.host, target.port, address)
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


# The body of an answer, piece by piece: its content encoding undone, its size bounded before and after.


class BodyReader:
    """Takes the bytes of one answer as they arrive and gives back what they say."""

    def __init__(self, where: str, status: int, encoding: str, max_bytes: int) -> None:
        self._where = where
        self._status = status
        self._encoding = encoding.strip().lower()[:40]
        self._encoded = self._encoding not in ("", "identity")
        # An incompressible body grows a little when it is packed.
        self._raw_limit = max_bytes + max_bytes // 64 + 1024 if self._encoded else max_bytes
        self._max_bytes = max_bytes
        self._raw_size = 0
        self._size = 0
        self._waiting = b""
        self._evidence = bytearray()
        self._unpacker: zlib._Decompress | None = None

    def feed(self, piece: bytes) -> bytes:
        """Take the next bytes; the result may be empty while more is needed."""
        self._raw_size += len(piece)
        if not self._encoded:
            self._keep(piece)
        elif self._unpacker is None:
            piece = self._waiting = self._waiting + piece
            if len(piece) < 2:
                return b""  # the two forms of deflate differ in their first two bytes
            self._unpacker = zlib.decompressobj(self._window_bits(piece))
        if self._raw_size > self._raw_limit:
            raise self._too_large()
        return piece if self._unpacker is None else self._unpack(self._unpacker, piece)

    def finish(self) -> None:
        """Say that nothing follows."""
        if not self._encoded or not self._raw_size:
            return
        if self._unpacker is None or not self._unpacker.eof or self._unpacker.unused_data:
            raise self._bad(f"sent a {self._encoding} body that is cut short or followed by other bytes.")

    def _unpack(self, unpacker: "zlib._Decompress", piece: bytes) -> bytes:
        try:
            unpacked = unpacker.decompress(piece, self._max_bytes - self._size + 1)
        except zlib.error:
            self._keep(piece)
            raise self._bad(f"said {self._encoding} but sent something else.") from None
        self._keep(unpacked)
        self._size += len(unpacked)
        if self._size > self._max_bytes:
            raise self._too_large()
        return unpacked

    def _window_bits(self, beginning: bytes) -> int:
        if self._encoding in ("gzip", "x-gzip"):
            return zlib.MAX_WBITS | 16
        if self._encoding == "deflate":
            return zlib.MAX_WBITS if _has_zlib_header(beginning) else -zlib.MAX_WBITS
        self._keep(beginning)
        raise self._bad(f"sent a content encoding that was not asked for: {self._encoding!r}.")

    def _keep(self, piece: bytes) -> None:
        self._evidence += piece[: PARTIAL_BYTES - len(self._evidence)]

    def _bad(self, problem: str) -> BadEncodingError:
        message = f"{self._where} {problem}"
        return BadEncodingError(message, status=self._status, partial=bytes(self._evidence))

    def _too_large(self) -> AnswerTooLargeError:
        message = f"{self._where} answered {self._status} with a body over {self._max_bytes} bytes."
        return AnswerTooLargeError(message, status=self._status, partial=bytes(self._evidence))


def _has_zlib_header(beginning: bytes) -> bool:
    """Tell zlib from raw deflate: servers send both under the one name."""
    return beginning[0] & 0x0F == zlib.DEFLATED and (beginning[0] << 8 | beginning[1]) % 31 == 0
