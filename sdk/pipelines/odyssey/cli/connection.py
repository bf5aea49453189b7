"""The way from a command to a platform: its address, its key, and every failure as one sentence.

CommandFailedError
├── UnreachableError     nothing was answered; asking again may help
├── NoStreamError        too many streams are open; reading helps
└── FaultyError          what was sent has faults, each with its place
"""

import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, NoReturn

from cyclopts import Parameter

from pipelines.odyssey import errors
from pipelines.odyssey.cli.failures import CommandFailedError as CommandFailedError
from pipelines.odyssey.cli.login import DEFAULT_URL, chosen
from pipelines.odyssey.cli.printing.screen import clean
from pipelines.odyssey.client._sync.transport import Transport
from pipelines.odyssey.client.answers import NOT_ODYSSEY, stranger
from pipelines.odyssey.client.place import Place, find_place
from pipelines.odyssey.client.requests import Upload as Upload
from pipelines.odyssey.client.retries import TOO_MANY_STREAMS, Retries
from pipelines.odyssey.client.streams import Event

NOT_RIGHT = 1
"""Exit code of a command that did its work and found faults, runs that did not pass, regressions, idle checks."""
FAILED = 2
"""Exit code of a command that could not do its work."""
PAGE = 200
PAGED = ("items", "next_cursor")


class UnreachableError(CommandFailedError):
    """Nothing was answered."""


class NoStreamError(CommandFailedError):
    """The person has too many streams open."""


class FaultyError(CommandFailedError):
    """What was sent is not right; `faults` are the API's `{loc, msg}`."""

    def __init__(self, message: str, faults: Sequence[Mapping[str, Any]]) -> None:
        super().__init__(message)
        self.faults = faults


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Server:
    """Which platform to ask, and as whom."""

    url: Annotated[
        str | None, Parameter(help=f"Address of the platform; else ODYSSEY_URL, the login's, {DEFAULT_URL}.")
    ] = None
    api_key: Annotated[
        str | None, Parameter(help="API key; else ODYSSEY_API_KEY, PIPELINES_API_KEY, the login's.")
    ] = field(default=None, repr=False)


class Connection:
    """Speaks with one platform; raises CommandFailedError with a sentence, which never holds the key."""

    def __init__(self, url: str, api_key: str) -> None:
        # A platform that is not there is said at once; those who wait for it ask again themselves.
        self._api = Transport(_place(url, api_key), retries=Retries(reconnects=False))

    @property
    def address(self) -> str:
        """Where the platform is, without what is secret about it."""
        return self._api.place.shown

    def close(self) -> None:
        self._api.close()

    def get(
        self, path: str, *, members: Collection[str], missing: str | None = None, **query: Any
    ) -> dict[str, Any]:
        """Return an object that has these members; `missing` is what to say when there is none at the path."""
        with self._saying(missing):
            return self._with(members, self._api.get(path, query=query), status=200)

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
        with self._saying(missing):
            return self._with(members, self._api.post(path, body=body, query=query))

    def put(
        self,
        path: str,
        body: Upload | Mapping[str, Any],
        *,
        members: Collection[str],
        missing: str | None = None,
        **query: Any,
    ) -> dict[str, Any]:
        """Replace what is at a path, and return it as an object that has these members."""
        with self._saying(missing):
            return self._with(members, self._api.put(path, body=body, query=query))

    def delete(self, path: str, *, missing: str | None = None) -> None:
        """Have what is at the path deleted."""
        with self._saying(missing):
            self._api.delete(path)

    def download(self, path: str, *, missing: str | None = None, **query: Any) -> Iterator[bytes]:
        """Give a file piece by piece as it arrives."""
        with self._saying(missing):
            yield from self._api.pieces(path, query=query)

    def events(self, path: str, *, missing: str | None = None) -> Iterator[Event]:
        """Listen to a stream of events, each with the JSON object it carries, until it ends."""
        with self._saying(missing):
            yield from self._api.events(path)

    def pages(self, path: str, *, missing: str | None = None, **query: Any) -> Iterator[dict[str, Any]]:
        """Go through a list page by page, each read once."""
        with self._saying(missing):
            yield from self._api.items(path, query=query)

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

    def _with(
        self, members: Collection[str], body: dict[str, Any], status: int | None = None
    ) -> dict[str, Any]:
        if not body.keys() >= set(members):
            raise stranger(self._api.place, status)
        return body

    @contextmanager
    def _saying(self, missing: str | None) -> Iterator[None]:
        try:
            yield
        except errors.UnreachableError as error:
            raise UnreachableError(str(error)) from None
        except errors.ApiError as error:
            raise self._refusal(error, missing) from None

    def _refusal(self, error: errors.ApiError, missing: str | None) -> CommandFailedError:
        if error.code == NOT_ODYSSEY:
            return CommandFailedError(error.detail)
        if error.status == 404 and missing is not None:
            return CommandFailedError(missing)
        if error.code == TOO_MANY_STREAMS:
            return NoStreamError(error.detail)
        said = error.detail
        if error.status == 401:
            said = f"{self.address} refused the API key: {said}"
        return FaultyError(said, error.errors) if error.errors else CommandFailedError(said)


def _place(url: str, api_key: str) -> Place:
    try:
        return find_place(url, api_key)
    except errors.OdysseyError as error:
        raise CommandFailedError(str(error)) from None


@contextmanager
def connected(server: Server | None) -> Iterator[Connection]:
    """Connect as the flags, the environment and the login say; a failure ends the process with one sentence."""
    server = server or Server()
    with failing():
        choice = chosen(server.url, server.api_key)
        connection = Connection(choice.url, choice.key)
        try:
            yield connection
        finally:
            connection.close()


@contextmanager
def failing() -> Iterator[None]:
    """End the process with one sentence and code 2 when a command cannot go on."""
    try:
        yield
    except FaultyError as error:
        _fail(str(error), error.faults)
    except CommandFailedError as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"The output cannot be written: {error.strerror}.")


def _fail(sentence: str, faults: Sequence[Mapping[str, Any]] = ()) -> NoReturn:
    lines = [f"odyssey: {sentence}", *(f"  {_where(fault)}{fault.get('msg')}" for fault in faults)]
    sys.stderr.write("".join(f"{clean(line)}\n" for line in lines))
    sys.exit(FAILED)


def _where(fault: Mapping[str, Any]) -> str:
    steps = fault.get("loc")
    return f"{'.'.join(map(str, steps))}: " if isinstance(steps, list) and steps else ""
