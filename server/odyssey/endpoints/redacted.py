"""A service may repeat the secret it was sent: it comes out of every answer before anybody keeps or passes it on."""

from typing import Any

import msgspec

from odyssey.endpoints.upstream import (
    Answered,
    Discovery,
    DiscoveryFailedError,
    Forwarded,
    Upstream,
    UpstreamTool,
)
from odyssey.kit.redaction import Redaction


class RedactedUpstream:
    """The answers of another upstream, verbatim but for the secret."""

    def __init__(self, upstream: Upstream, secret: str | None) -> None:
        self._upstream = upstream
        self._hide = Redaction(secret)

    async def discover(self) -> Discovery:
        try:
            found = await self._upstream.discover()
        except DiscoveryFailedError as error:
            raise DiscoveryFailedError(error.code, self._hide.text(error.message)) from None
        plain = self._hide.value(msgspec.to_builtins(list(found.tools)))
        notes = tuple(self._hide.text(note) for note in found.notes)
        return Discovery(tuple(msgspec.convert(plain, list[UpstreamTool])), notes)

    async def call(self, tool_name: str, arguments: dict[str, Any], *, session: str) -> Forwarded:
        forwarded = await self._upstream.call(tool_name, arguments, session=session)
        if isinstance(forwarded, Answered):
            return forwarded._replace(response=self._hide.value(forwarded.response))
        return forwarded._replace(message=self._hide.text(forwarded.message))
