"""Which platform a command asks, and with which key: flags, environment, `.env`, login, in this order."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import httpx

from pipelines.odyssey.cli.dotenv import is_from_file
from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.cli.key_store import find_key, last_address

DEFAULT_URL = "http://127.0.0.1:8200"
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

Origin = Literal["flag", "environment", "file", "login", "default"]

_KEYS = ("ODYSSEY_API_KEY", "PIPELINES_API_KEY")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Chosen:
    url: str
    key: str = field(repr=False)
    key_from: str
    """Where the key was found, for people: `--api-key`, `ODYSSEY_API_KEY`, `ODYSSEY_API_KEY of .env`, …"""


class _Found:
    def __init__(self, value: str, origin: Origin, said: str) -> None:
        self.value, self.origin, self.said = value.strip(), origin, said


def chosen(url: str | None, api_key: str | None) -> Chosen:
    """Choose as the flags, the environment, `.env` and the newest login say."""
    key = _given("--api-key", api_key) or _variable(_KEYS)
    address = _address(url, of_login=key is None)
    key = key or _kept(address.value)
    if key is None:
        raise CommandFailedError(
            "There is no API key; set ODYSSEY_API_KEY or give --api-key. `odyssey login` keeps one."
        )
    _check_characters(key.value)
    if address.origin == "file" and key.origin == "environment" and not is_loopback(address.value):
        # Else whoever gives away a folder could have the keys of those who look into it.
        raise CommandFailedError(
            f"The address {shown(address.value)} comes from .env and the key from the environment; a folder does "
            "not decide where your key goes. Give --url, set ODYSSEY_URL, or keep both in .env."
        )
    return Chosen(address.value, key.value, key.said)


def chosen_address(url: str | None) -> str:
    """Choose only the address."""
    return _address(url, of_login=True).value


def normal(url: str) -> str:
    """Write an address in the one way by which its login is kept: without user, default port and final slash."""
    address = read_address(url)
    if address.port == _PORTS[address.scheme]:
        address = address.copy_with(port=None)
    return str(address.copy_with(userinfo=b"", query=None, fragment=None)).rstrip("/")


def shown(url: str) -> str:
    """Return an address without what is secret about it."""
    return str(read_address(url).copy_with(userinfo=b"")).rstrip("/")


def is_loopback(url: str) -> bool:
    return read_address(url).host in LOOPBACK


def read_address(url: str) -> httpx.URL:
    try:
        address = httpx.URL(url.strip())
    except httpx.InvalidURL:
        raise CommandFailedError("The address of the platform is not a URL.") from None
    if address.scheme not in ("http", "https") or not address.host:
        raise CommandFailedError("The address of the platform must begin with http:// or https://.")
    return address


def _address(url: str | None, *, of_login: bool) -> _Found:
    """The address of a login goes with its key only: a key from elsewhere is not meant for it."""
    found = _given("--url", url) or _variable(("ODYSSEY_URL",))
    if found is not None:
        return found
    kept = last_address() if of_login else None
    return _Found(kept or DEFAULT_URL, "login" if kept else "default", "login")


def _given(flag: str, value: str | None) -> _Found | None:
    return _Found(value, "flag", flag) if value and value.strip() else None


def _variable(names: Iterable[str]) -> _Found | None:
    """Look for the first of some variables; what the environment says goes before what `.env` says."""
    set_ = [name for name in names if os.environ.get(name, "").strip()]
    for name in sorted(set_, key=is_from_file):
        if is_from_file(name):
            return _Found(os.environ[name], "file", f"{name} of .env")
        return _Found(os.environ[name], "environment", name)
    return None


def _kept(url: str) -> _Found | None:
    found = find_key(normal(url))
    if found is None:
        return None
    key, place = found
    return _Found(key, "login", f"login, kept in {'the keyring' if place == 'keyring' else 'a file'}")


def _check_characters(key: str) -> None:
    if not key.isascii() or not key.isprintable() or " " in key:
        raise CommandFailedError("The API key holds characters that no key has; copy it again.")
