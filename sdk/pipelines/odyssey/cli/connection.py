"""The way from a command to a platform: its address, its key, and every failure as one sentence.

CommandFailedError
├── UnreachableError     nothing was answered; asking again may help
├── NotThereError        there is nothing of that number, id or name
├── NoStreamError        too many streams are open; reading helps
└── FaultyError          what was sent has faults, each with its place
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Any, NoReturn

from cyclopts import Parameter

from pipelines.odyssey import errors
from pipelines.odyssey.cli.failures import FAILED, CommandFailedError
from pipelines.odyssey.cli.login import DEFAULT_URL, chosen
from pipelines.odyssey.cli.printing.screen import clean
from pipelines.odyssey.client._sync.client import Resources
from pipelines.odyssey.client._sync.transport import Transport
from pipelines.odyssey.client.answers import NOT_ODYSSEY, stranger
from pipelines.odyssey.client.place import Place, find_place
from pipelines.odyssey.client.requests import SILENCE_S, Upload
from pipelines.odyssey.client.retries import TOO_MANY_STREAMS, Retries
from pipelines.odyssey.client.streams import Event
from pipelines.odyssey.client.types import ANSWERS


class UnreachableError(CommandFailedError):
    """Nothing was answered."""


class NotThereError(CommandFailedError):
    """The platform does not have what was asked for."""


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


class Connection(Resources):
    """Speaks with one platform; raises CommandFailedError with a sentence, which never holds the key."""

    def __init__(self, url: str, api_key: str) -> None:
        super().__init__(_Transport(_place(url, api_key)))

    @property
    def address(self) -> str:
        """Where the platform is, without what is secret about it."""
        return self._api.place.shown


class _Transport(Transport):
    """Sees to it that answers have the members their types promise, and tells every failure in one sentence."""

    def __init__(self, place: Place) -> None:
        # A platform that is not there is said at once; those who wait for it ask again themselves.
        super().__init__(place, retries=Retries(reconnects=False))

    def get(self, path: str, *parts: object, query: Mapping[str, Any] | None = None) -> Any:
        with self._telling():
            answer = super().get(path, *parts, query=query)
            return self._whole(answer, f"GET {path}", status=200)

    def post(
        self,
        path: str,
        *parts: object,
        body: Upload | Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        key: str | None = None,
    ) -> Any:
        with self._telling():
            return self._whole(super().post(path, *parts, body=body, query=query, key=key), f"POST {path}")

    def put(
        self,
        path: str,
        *parts: object,
        body: Upload | Mapping[str, Any],
        query: Mapping[str, Any] | None = None,
    ) -> Any:
        with self._telling():
            return self._whole(super().put(path, *parts, body=body, query=query), f"PUT {path}")

    def delete(self, path: str, *parts: object) -> None:
        with self._telling():
            super().delete(path, *parts)

    def pieces(self, path: str, *parts: object, query: Mapping[str, Any] | None = None) -> Iterator[bytes]:
        with self._telling():
            yield from super().pieces(path, *parts, query=query)

    def events(
        self, path: str, *parts: object, after: str | None = None, silence_s: float = SILENCE_S
    ) -> Iterator[Event]:
        with self._telling():
            yield from super().events(path, *parts, after=after, silence_s=silence_s)

    def _page(
        self,
        path: str,
        *parts: object,
        cursor: str | None,
        limit: int | None,
        query: Mapping[str, Any] | None,
    ) -> Any:
        with self._telling():
            return super()._page(path, *parts, cursor=cursor, limit=limit, query=query)

    def _whole(self, answer: dict[str, Any], route: str, status: int | None = None) -> dict[str, Any]:
        if not answer.keys() >= ANSWERS[route].__required_keys__:
            raise stranger(self.place, status)
        return answer

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except errors.UnreachableError as error:
            raise UnreachableError(str(error)) from None
        except errors.ApiError as error:
            raise self._told(error) from None

    def _told(self, error: errors.ApiError) -> CommandFailedError:
        if error.code == NOT_ODYSSEY:
            return CommandFailedError(error.detail)
        if error.status == 404:
            return NotThereError(error.detail)
        if error.code == TOO_MANY_STREAMS:
            return NoStreamError(error.detail)
        said = error.detail
        if error.status == 401:
            said = f"{self.place.shown} refused the API key: {said}"
        return FaultyError(said, error.errors) if error.errors else CommandFailedError(said)


@contextmanager
def if_missing(sentence: str) -> Iterator[None]:
    """Say this when the platform does not have what is asked for."""
    try:
        yield
    except NotThereError:
        raise CommandFailedError(sentence) from None


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
        with Connection(choice.url, choice.key) as connection:
            yield connection


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
