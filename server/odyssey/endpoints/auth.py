"""What an endpoint is asked with: its secret, which leaves for the origin it is bound to and for no other."""

from typing import Any, NamedTuple

import msgspec
from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.addresses import origin_of
from odyssey.endpoints.config import DEFAULT_HEADER, Auth
from odyssey.endpoints.upstream import (
    Answered,
    Discovery,
    DiscoveryFailedError,
    Forwarded,
    NotAnswered,
    Upstream,
    UpstreamTool,
)
from odyssey.identity.credentials import open_credential
from odyssey.identity.models import Credential
from odyssey.identity.vault import UnsealError, Vault
from odyssey.kit.redaction import Redaction

_NO_SECRET = (
    "The endpoint needs a secret, and there is none for its address; save the endpoint with its secret."  # noqa: S105
)


def is_at(url: str | None, origin: str | None) -> bool:
    """Whether an address is of this origin; one that cannot be read is of none."""
    try:
        return url is not None and origin is not None and origin_of(url) == origin
    except ValueError:
        return False


class BoundAuth(NamedTuple):
    auth: Auth
    secret: str | None = None
    origin: str | None = None

    def __repr__(self) -> str:
        """Say no secret, wherever this is printed."""
        return f"BoundAuth({self.auth!r}, origin={self.origin!r})"

    def headers_for(self, url: str) -> dict[str, str] | None:
        """The headers to send to this address; None when they need a secret that is not for it."""
        if self.auth.type == "none":
            return {}
        if self.secret is None or not is_at(url, self.origin):
            return None
        if self.auth.type == "bearer":
            return {"Authorization": f"Bearer {self.secret}"}
        return {self.auth.header or DEFAULT_HEADER: self.secret}


async def bound_auth(
    session: AsyncSession, vault: Vault, auth: Auth, credential: Credential | None
) -> BoundAuth:
    """Open the secret of an endpoint; one that does not open is one that is not there."""
    if auth.type == "none" or credential is None:
        return BoundAuth(auth)
    try:
        return BoundAuth(auth, await open_credential(session, vault, credential), credential.origin)
    except UnsealError:
        return BoundAuth(auth)


def secret_missing() -> NotAnswered:
    return NotAnswered("secret_missing", _NO_SECRET, "not_sent")


def secret_missing_error() -> DiscoveryFailedError:
    return DiscoveryFailedError("secret_missing", _NO_SECRET)


# A service may repeat the secret it was sent: it comes out of every answer before anybody keeps or passes it on.


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
