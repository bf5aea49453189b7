"""Connections of the outbound client: one each, to an address the policy allows at that moment."""

import asyncio
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from socket import AF_INET, AF_INET6, AI_NUMERICHOST, AddressFamily
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.tracing import Trace

from odyssey.core.addresses import AddressPolicy, Resolve, Target
from odyssey.core.outbound_errors import AddressRefusedError, ConnectFailedError, NotHttpError

MOST_INTERIM = 100
"""Answers of the kind 1xx before the one that counts: one every twenty seconds of the longest run is fewer."""


@dataclass(slots=True, eq=False)
class Exchange:
    """One request under way: whom it asks, until when, and over which connection once it has one."""

    target: Target
    policy: AddressPolicy
    deadline: float
    transport: asyncio.Transport | None = None

    def abort(self) -> None:
        """Let go of the socket now: closing would first wait for a peer that reads no more."""
        if self.transport is not None:
            self.transport.abort()


_asking: ContextVar[Exchange] = ContextVar("asking")


@contextmanager
def asking(exchange: Exchange) -> Iterator[None]:
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
