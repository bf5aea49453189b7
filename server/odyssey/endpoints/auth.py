"""What an endpoint is asked with: its secret, which leaves for the origin it is bound to and for no other."""

from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from odyssey.core.addresses import origin_of
from odyssey.endpoints.config import DEFAULT_HEADER, Auth
from odyssey.endpoints.upstream import DiscoveryFailedError, NotAnswered
from odyssey.identity.credentials.keep import open_credential
from odyssey.identity.credentials.models import Credential
from odyssey.identity.vault import UnsealError, Vault

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
