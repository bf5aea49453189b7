"""Both clients behind one face, so that every test is about both; and a server that says what a test has written."""

import asyncio
import inspect
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec
import pytest

from pipelines.odyssey.client import AsyncClient, Client, types, waiting

KEY = "pk_live_" + "7" * 40


class Driven:
    """A client, or a part of one; the async one is waited for, and what is answered is held against its type."""

    def __init__(self, part: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._part, self._loop = part, loop

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        return self._calling(found) if inspect.ismethod(found) else Driven(found, self._loop)

    def __repr__(self) -> str:
        return repr(self._part)

    def _calling(self, method: Any) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            answer = self._waited(method(*given, **named))
            _hold(answer, str(inspect.unwrap(method).__annotations__.get("return", "")))
            return answer

        return call

    def _waited(self, answer: Any) -> Any:
        if inspect.isasyncgen(answer):
            return self._loop.run_until_complete(_all(answer))
        if inspect.isawaitable(answer):
            return self._loop.run_until_complete(answer)
        return list(answer) if inspect.isgenerator(answer) else answer


async def _all(items: Any) -> list[Any]:
    return [item async for item in items]


def _hold(answer: Any, said: str) -> None:
    for name in re.findall(r"\bt\.(\w+)", said)[:1]:
        kind = getattr(types, name)
        for each in answer if isinstance(answer, list) else [answer]:
            msgspec.convert(each, kind)
            assert each.keys() <= kind.__annotations__.keys(), name


@pytest.fixture(params=["sync", "async"])
def drive(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Make clients of one kind; they are closed in the end."""
    loop = asyncio.new_event_loop()
    made: list[Driven] = []

    def start(url: str, api_key: str | None = KEY, **more: Any) -> Driven:
        client = (Client if request.param == "sync" else AsyncClient)(url, api_key, **more)
        made.append(Driven(client, loop))
        return made[-1]

    yield start
    for client in made:
        client.close() if request.param == "sync" else client.aclose()
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Say(NamedTuple):
    """One answer; without a status the connection is cut."""

    status: int | None
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})


class Scripted:
    """Answers requests in order as it was told, the last answer over and over; `asked` keeps them."""

    def __init__(self, answer: Callable[[Asked], Say]) -> None:
        self.asked: list[Asked] = []
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one piece, or each answer waits for an acknowledgement

            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                scripted.asked.append(Asked(self.command, self.path, headers, body))
                said = answer(scripted.asked[-1])
                self.close_connection = said.status is None
                if said.status is None:
                    return
                sent = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
                self.send_response(said.status)
                for name, value in {"Content-Length": str(len(sent)), **said.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(sent)

            do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - the library's names

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture(scope="session")
def serving() -> Callable[..., Any]:
    """Serve answers in order, or what a function says to each request, for as long as the context lasts."""

    @contextmanager
    def serve(*answers: Say | Callable[[Asked], Say]) -> Iterator[Scripted]:
        left = [each for each in answers if isinstance(each, Say)]

        def in_order(_: Asked) -> Say:
            return left.pop(0) if len(left) > 1 else left[0]

        server = Scripted(answers[0] if answers and not isinstance(answers[0], Say) else in_order)
        try:
            yield server
        finally:
            server.stop()

    return serve


@pytest.fixture
def time_is_up(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """To be called when a wait has heard something: its clock, which stood still, then shows that it took too long."""
    now = [0.0]
    monkeypatch.setattr(waiting, "monotonic", lambda: now[0])

    def move(_: object) -> None:
        now[0] += 3600

    return move


@pytest.fixture
def say() -> type[Say]:
    return Say
