"""Where a platform is and as whom to ask it; the key is in no representation and in no error."""

import os
from dataclasses import dataclass, field

import httpx

from pipelines.odyssey.errors import AuthError, UnreachableError

DEFAULT_URL = "http://127.0.0.1:8200"

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_KEYS = ("ODYSSEY_API_KEY", "PIPELINES_API_KEY")


@dataclass(frozen=True)
class Place:
    address: httpx.URL = field(repr=False)
    """As it was given: it may carry the user and password of a reverse proxy."""
    key: str = field(repr=False)
    shown: str
    """The address without what is secret about it."""

    @property
    def is_near(self) -> bool:
        """Whether it is on this machine, where no proxy of the environment has a part."""
        return self.address.host in _LOOPBACK

    @property
    def is_plain(self) -> bool:
        """Whether nothing is encrypted on the way, so that the certificates of the system need not be read."""
        return self.is_near and self.address.scheme == "http"


def find_place(base_url: str | None, api_key: str | None) -> Place:
    """Take what is given, else what the environment says."""
    address = _read_address(base_url or os.environ.get("ODYSSEY_URL") or DEFAULT_URL)
    key = api_key or next((os.environ[name] for name in _KEYS if os.environ.get(name)), "")
    return Place(address, _read_key(key), str(address.copy_with(userinfo=b"")).rstrip("/"))


def _read_address(url: str) -> httpx.URL:
    try:
        address = httpx.URL(url.strip())
    except httpx.InvalidURL:
        raise UnreachableError("The address of the platform is not a URL.") from None
    if address.scheme not in ("http", "https") or not address.host:
        raise UnreachableError("The address of the platform must begin with http:// or https://.")
    return address


def _read_key(key: str) -> str:
    key = key.strip()
    if not key:
        raise AuthError(None, "auth_required", "There is no API key; set ODYSSEY_API_KEY or pass api_key.")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise AuthError(None, "auth_required", "The API key holds characters that no key has; copy it again.")
    return key
