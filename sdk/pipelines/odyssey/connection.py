"""The way from a command to a platform: its address, its key, and every failure as one sentence."""

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, NoReturn

import httpx
from cyclopts import Parameter

from pipelines.odyssey.screen import clean

DEFAULT_URL = "http://127.0.0.1:8200"
FAILED = 2
PAGE = 200
PAGED = ("items", "next_cursor")

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_TIMEOUT = httpx.Timeout(60, connect=10)


class CommandFailedError(Exception):
    """The command cannot go on; the message is what the person reads."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Server:
    """Which platform to ask, and as whom."""

    url: Annotated[
        str | None, Parameter(help=f"Address of the platform; else ODYSSEY_URL, else {DEFAULT_URL}.")
    ] = None
    api_key: Annotated[
        str | None, Parameter(help="API key; else ODYSSEY_API_KEY, else PIPELINES_API_KEY.")
    ] = field(default=None, repr=False)


class Connection:
    """Reads from one platform; raises CommandFailedError with a sentence, which never holds the key."""

    def __init__(self, url: str, api_key: str) -> None:
        self._api_key = api_key
        address = _read_address(url)
        self._shown = str(address.copy_with(userinfo=b"")).rstrip("/")
        # The key has a header of its own, so that an address may carry the user and password of a reverse proxy.
        self._client = httpx.Client(
            base_url=address,
            headers={"X-API-Key": api_key},
            timeout=_TIMEOUT,
            trust_env=address.host not in _LOOPBACK,
        )

    def close(self) -> None:
        self._client.close()

    def get(
        self, path: str, *, members: Collection[str], missing: str | None = None, **query: Any
    ) -> dict[str, Any]:
        """Return an object that has these members; `missing` is what to say when there is none at the path."""
        wanted = {name: value for name, value in query.items() if value is not None}
        try:
            answer = self._client.get(path, params=wanted)
        except httpx.TransportError as error:
            raise CommandFailedError(f"{self._shown} cannot be reached: {_reason(error)}.") from None
        except httpx.DecodingError:
            raise self._stranger(None) from None
        except UnicodeError:
            raise CommandFailedError(f"{self._shown} cannot be reached: no host has such a name.") from None
        body = _read_object(answer)
        if not answer.is_success:
            raise self._refusal(answer.status_code, body, missing)
        if body is None or not body.keys() >= set(members):
            raise self._stranger(answer.status_code)
        return body

    def pages(self, path: str, *, missing: str | None = None, **query: Any) -> Iterator[dict[str, Any]]:
        """Go through a list page by page, each read once."""
        cursor = None
        while True:
            page = self.get(path, members=PAGED, missing=missing, limit=PAGE, cursor=cursor, **query)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def _refusal(
        self, status: int, problem: dict[str, Any] | None, missing: str | None
    ) -> CommandFailedError:
        detail = (problem or {}).get("detail")
        if not isinstance(detail, str):
            return self._stranger(status)
        if status == 404 and missing is not None:
            return CommandFailedError(missing)
        if status == 401:
            detail = f"{self._shown} refused the API key: {detail}"
        return CommandFailedError(detail.replace(self._api_key, "****"))

    def _stranger(self, status: int | None) -> CommandFailedError:
        said = "" if status is None else f" HTTP {status}"
        return CommandFailedError(
            f"{self._shown} answered{said}, but not as Odyssey does; check the address."
        )


@contextmanager
def connected(server: Server | None) -> Iterator[Connection]:
    """Connect as the flags and the environment say; a failure ends the process with one sentence and code 2."""
    server = server or Server()
    try:
        url = server.url or os.environ.get("ODYSSEY_URL") or DEFAULT_URL
        connection = Connection(url, _choose_key(server))
        try:
            yield connection
        finally:
            connection.close()
    except CommandFailedError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"The output cannot be written: {error.strerror}.")


def _fail(sentence: str) -> NoReturn:
    sys.stderr.write(f"odyssey: {clean(sentence)}\n")
    sys.exit(FAILED)


def _choose_key(server: Server) -> str:
    names = ("ODYSSEY_API_KEY", "PIPELINES_API_KEY")
    found = server.api_key or next((os.environ[name] for name in names if os.environ.get(name)), "")
    key = found.strip()
    if not key:
        raise CommandFailedError("There is no API key; set ODYSSEY_API_KEY or give --api-key.")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise CommandFailedError("The API key holds characters that no key has; copy it again.")
    return key


def _read_address(url: str) -> httpx.URL:
    try:
        address = httpx.URL(url.strip())
    except httpx.InvalidURL:
        raise CommandFailedError("The address of the platform is not a URL.") from None
    if address.scheme not in ("http", "https") or not address.host:
        raise CommandFailedError("The address of the platform must begin with http:// or https://.")
    return address


def _read_object(answer: httpx.Response) -> dict[str, Any] | None:
    try:
        body = answer.json()
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _reason(error: httpx.TransportError) -> str:
    """Say what went wrong; the library's own words are used only where they cannot hold what we sent."""
    if isinstance(error, httpx.TimeoutException):
        return "it did not answer in time"
    if isinstance(error, httpx.ConnectError):
        return str(error).rstrip(".") or "no connection"
    return "the connection broke off"
