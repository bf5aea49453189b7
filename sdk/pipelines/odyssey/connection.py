"""The way from a command to a platform: its address, its key, and every failure as one sentence.

CommandFailedError
├── UnreachableError     nothing was answered; asking again may help
└── FaultyError          what was sent has faults, each with its place
"""

import json
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, NoReturn

import httpx
from cyclopts import Parameter

from pipelines.odyssey.screen import clean

DEFAULT_URL = "http://127.0.0.1:8200"
NOT_RIGHT = 1
"""Exit code of a command that did its work and found faults, runs that did not pass, regressions, idle checks."""
FAILED = 2
"""Exit code of a command that could not do its work."""
PAGE = 200
PAGED = ("items", "next_cursor")

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_TIMEOUT = httpx.Timeout(60, connect=10)
_LONG = httpx.Timeout(900, connect=10)
"""For what the platform reads or counts row by row before it answers."""
_SILENCE = httpx.Timeout(45, connect=10)
"""For a stream of events, which says something every quarter of a minute."""


class CommandFailedError(Exception):
    """The command cannot go on; the message is what the person reads."""


class UnreachableError(CommandFailedError):
    """Nothing was answered."""


class FaultyError(CommandFailedError):
    """What was sent is not right; `faults` are the API's `{loc, msg}`."""

    def __init__(self, message: str, faults: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(message)
        self.faults = faults


class Upload(NamedTuple):
    """Bytes to send as they are."""

    content: bytes
    media_type: str


class Event(NamedTuple):
    name: str
    data: dict[str, Any]


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
    """Speaks with one platform; raises CommandFailedError with a sentence, which never holds the key."""

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

    @property
    def address(self) -> str:
        """Where the platform is, without what is secret about it."""
        return self._shown

    def close(self) -> None:
        self._client.close()

    def get(
        self, path: str, *, members: Collection[str], missing: str | None = None, **query: Any
    ) -> dict[str, Any]:
        """Return an object that has these members; `missing` is what to say when there is none at the path."""
        return self._object(self._client.build_request("GET", path, params=_given(query)), members, missing)

    def post(
        self,
        path: str,
        body: Upload | Mapping[str, Any] | None = None,
        *,
        members: Collection[str],
        missing: str | None = None,
        **query: Any,
    ) -> dict[str, Any]:
        """Send JSON or a file, and return an object that has these members."""
        if isinstance(body, Upload):
            sent: dict[str, Any] = {"content": body.content, "headers": {"Content-Type": body.media_type}}
        else:
            sent = {} if body is None else {"json": body}
        request = self._client.build_request("POST", path, params=_given(query), timeout=_LONG, **sent)
        return self._object(request, members, missing)

    def put(
        self, path: str, body: Mapping[str, Any], *, members: Collection[str], missing: str | None = None
    ) -> dict[str, Any]:
        """Replace what is at a path, and return it as an object that has these members."""
        return self._object(
            self._client.build_request("PUT", path, json=body, timeout=_LONG), members, missing
        )

    def delete(self, path: str, *, missing: str | None = None) -> None:
        """Have what is at the path deleted."""
        with self._reaching():
            answer = self._client.delete(path)
        if not answer.is_success:
            raise self._refusal(answer.status_code, _read_object(answer), missing)

    def download(self, path: str, *, missing: str | None = None, **query: Any) -> Iterator[bytes]:
        """Give a file piece by piece as it arrives."""
        request = self._client.build_request("GET", path, params=_given(query), timeout=_LONG)
        with self._reaching():
            answer = self._client.send(request, stream=True)
            try:
                if not answer.is_success:
                    answer.read()
                    raise self._refusal(answer.status_code, _read_object(answer), missing)
                yield from answer.iter_bytes()
            finally:
                answer.close()

    def events(self, path: str, *, missing: str | None = None) -> Iterator[Event]:
        """Listen to a stream of events, each with the JSON object it carries, until it ends."""
        name, data = "", ""
        with self._reaching(), self._client.stream("GET", path, timeout=_SILENCE) as answer:
            if not answer.is_success:
                answer.read()
                raise self._refusal(answer.status_code, _read_object(answer), missing)
            for line in answer.iter_lines():
                field, _, value = line.partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    data += value
                elif not line and data:
                    yield Event(name, self._carried(data))
                    name, data = "", ""

    def pages(self, path: str, *, missing: str | None = None, **query: Any) -> Iterator[dict[str, Any]]:
        """Go through a list page by page, each read once."""
        cursor = None
        while True:
            page = self.get(path, members=PAGED, missing=missing, limit=PAGE, cursor=cursor, **query)
            yield from page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def newest(self, path: str, limit: int, **query: Any) -> dict[str, Any]:
        """Return the first so many of a list, as one page."""
        items: list[dict[str, Any]] = []
        cursor = None
        while True:
            size = min(limit - len(items), PAGE)
            page = self.get(path, members=PAGED, limit=size, cursor=cursor, **query)
            items += page["items"]
            cursor = page["next_cursor"]
            if cursor is None or len(items) >= limit:
                return {**page, "items": items}

    def _object(
        self, request: httpx.Request, members: Collection[str], missing: str | None
    ) -> dict[str, Any]:
        with self._reaching():
            answer = self._client.send(request)
        body = _read_object(answer)
        if not answer.is_success:
            raise self._refusal(answer.status_code, body, missing)
        if body is None or not body.keys() >= set(members):
            raise self._stranger(answer.status_code)
        return body

    def _carried(self, data: str) -> dict[str, Any]:
        try:
            carried = json.loads(data)
        except ValueError:
            carried = None
        if not isinstance(carried, dict):
            raise self._stranger(None)
        return carried

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        try:
            yield
        except httpx.TransportError as error:
            raise UnreachableError(f"{self._shown} cannot be reached: {_reason(error)}.") from None
        except httpx.DecodingError:
            raise self._stranger(None) from None
        except UnicodeError:
            raise CommandFailedError(f"{self._shown} cannot be reached: no host has such a name.") from None

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
        said = detail.replace(self._api_key, "****")
        faults = (problem or {}).get("errors")
        return FaultyError(said, faults) if isinstance(faults, list) else CommandFailedError(said)

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
    except FaultyError as error:
        _fail(str(error), error.faults)
    except CommandFailedError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"The output cannot be written: {error.strerror}.")


def _fail(sentence: str, faults: Sequence[Mapping[str, Any]] = ()) -> NoReturn:
    lines = [f"odyssey: {sentence}", *(f"  {_place(fault)}{fault.get('msg')}" for fault in faults)]
    sys.stderr.write("".join(f"{clean(line)}\n" for line in lines))
    sys.exit(FAILED)


def _place(fault: Mapping[str, Any]) -> str:
    steps = fault.get("loc")
    return f"{'.'.join(map(str, steps))}: " if isinstance(steps, list) and steps else ""


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


def _given(query: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in query.items() if value is not None}


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
