"""Connections of the outbound client: one each, to an address the policy allows at that moment."""

import asyncio
import ssl
from socket import AF_INET, AF_INET6, AI_NUMERICHOST, AddressFamily

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.tracing import Trace

from odyssey.core.addresses import AddressPolicy, Resolve, Target
from odyssey.core.outbound_errors import AddressRefusedError, ConnectFailedError


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


class CheckedConnector(aiohttp.TCPConnector):
    """One connection to one target, whose peer is checked again before a byte of the request leaves."""

    def __init__(self, target: Target, policy: AddressPolicy, resolve: Resolve, tls: ssl.SSLContext) -> None:
        super().__init__(
            resolver=_CheckedResolver(target, policy, resolve), use_dns_cache=False, force_close=True, ssl=tls
        )
        self._target = target
        self._policy = policy
        self._transport: asyncio.Transport | None = None
        self._asked = False

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
        if self._asked:
            # aiohttp sends GET, HEAD, PUT, DELETE and OPTIONS again when the connection is lost.
            raise aiohttp.ServerDisconnectedError
        self._asked = True
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
