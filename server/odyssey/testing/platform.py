"""The platform of a test session: the real application, an embedded database, and the desk of open runs."""

import asyncio
import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import uvicorn

from odyssey.api.front import Front
from odyssey.api.receipt import with_deadline
from odyssey.core.database import Database
from odyssey.core.migrate import migrate
from odyssey.core.settings import Settings
from odyssey.identity.bootstrap import create_org
from odyssey.kit.clock import utc_now
from odyssey.kit.ids import new_api_key
from odyssey.main import create_app
from odyssey.testing.errors import NotServedError, RefusedError

# The endpoint of every open run: it shows the dispatch to the test and answers with what the test says.

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class DispatchedRun:
    """One dispatch that waits for its answer."""

    def __init__(self, headers: dict[str, str], body: dict[str, Any]) -> None:
        self.headers = headers
        self.body = body
        self._loop = asyncio.get_running_loop()
        self._reply: asyncio.Future[bytes] = self._loop.create_future()

    def answer(self, reply: bytes) -> None:
        """Hand over the answer, from any thread; nothing happens when the platform has gone."""
        self._loop.call_soon_threadsafe(self._settle, reply)

    def _settle(self, reply: bytes) -> None:
        if not self._reply.done():
            self._reply.set_result(reply)

    async def answered(self, receive: Receive) -> bytes | None:
        """The answer, or None once the platform has hung up."""
        gone = asyncio.ensure_future(receive())
        try:
            either: list[asyncio.Future[Any]] = [gone, self._reply]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            return self._reply.result() if self._reply.done() else None
        finally:
            gone.cancel()
            self._reply.cancel()


class Desk:
    """An ASGI application; `take` gives a test the dispatch of its run."""

    def __init__(self) -> None:
        self._waiting: dict[int, DispatchedRun] = {}
        self._arrival = threading.Condition()

    def take(self, run_id: int, patience_s: float) -> DispatchedRun | None:
        """Wait a while for the dispatch of a run."""
        with self._arrival:
            self._arrival.wait_for(lambda: run_id in self._waiting, patience_s)
            return self._waiting.pop(run_id, None)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        body = await _read(receive)
        if body.get("ping") is True:
            await _say(send, b'{"ok": true}')
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        dispatched = DispatchedRun(headers, body)
        with self._arrival:
            self._waiting[body["run_id"]] = dispatched
            self._arrival.notify_all()
        reply = await dispatched.answered(receive)
        if reply is not None:
            await _say(send, reply)


async def _read(receive: Receive) -> dict[str, Any]:
    raw = b""
    while True:
        message = await receive()
        raw += message.get("body", b"")
        if not message.get("more_body"):
            body: dict[str, Any] = json.loads(raw)
            return body


async def _say(send: Send, content: bytes) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(content))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": content})


# An ASGI application on a free port of this machine, in a thread and an event loop of its own.

_BACKLOG = 512
_SERVING_S = 60.0


class ServedApp:
    """Serves from construction until `stop()`; the application is made when its address is known."""

    def __init__(self, make: Callable[[str], Any], **options: Any) -> None:
        listener = socket.socket(proto=socket.IPPROTO_TCP)  # named, or asyncio keeps Nagle on
        listener.bind(("127.0.0.1", 0))
        listener.listen(_BACKLOG)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        config = uvicorn.Config(
            make(self.url),
            log_config=None,
            access_log=False,
            ws="none",
            timeout_graceful_shutdown=1,
            **options,
        )
        self._settled = threading.Event()
        self._server = _LocalServer(config, self._settled)
        self._thread = threading.Thread(target=self._serve, args=(listener,), name="odyssey", daemon=True)
        self._thread.start()
        self._settled.wait(_SERVING_S)
        if not self._server.started:
            self.stop()
            raise NotServedError(f"The application at {self.url} did not start; its log says why.")

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(_SERVING_S)

    def _serve(self, listener: socket.socket) -> None:
        try:
            with contextlib.suppress(SystemExit):  # what uvicorn makes of an application that does not start
                asyncio.run(self._server.serve(sockets=[listener]))
        finally:
            listener.close()
            self._settled.set()


class _LocalServer(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: threading.Event) -> None:
        super().__init__(config)
        self._told = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._told.set()


class LocalPlatform:
    """Starts on construction, ends with `stop()`; of the environment's settings it takes none."""

    def __init__(self, folder: Path) -> None:
        database_url = f"sqlite+aiosqlite:///{folder / 'odyssey.db'}"
        # Constructed, or the environment would be read, which is of the platform somebody runs beside the tests.
        settings = Settings.model_construct(data=folder, drain_seconds=0.2, max_runs=256, allow_loopback=True)

        def make(url: str) -> Front:
            return create_app(settings, database_url=database_url, secret_key=new_api_key(), public_url=url)

        with ThreadPoolExecutor(1) as aside:  # here a loop of the test's may be running
            api_key = aside.submit(asyncio.run, _first_key(database_url)).result()
        self._server = ServedApp(make, http=with_deadline(settings.receipt_seconds))
        self.api = Api(self._server.url, api_key)
        self.desk = Desk()
        self._desk_server = ServedApp(lambda _: self.desk, lifespan="off")
        self.desk_url = f"{self._desk_server.url}/dispatch"

    @property
    def url(self) -> str:
        return self.api.url

    def stop(self) -> None:
        self._desk_server.stop()
        self._server.stop()


async def _first_key(database_url: str) -> str:
    database = Database(database_url)
    try:
        await migrate(database)
        async with database.write() as session:
            return await create_org(session, utc_now, name="Tests", admin_email="tests@localhost")
    finally:
        await database.close()


# The platform's own API, asked as every client asks it.
_PATIENCE_S = 120.0
_PAGE = 200


class Api:
    def __init__(self, url: str, api_key: str) -> None:
        self.url = url
        self._authority = urlsplit(url).netloc
        self._headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: Any = None, *, what: str = "The platform refused") -> Any:
        """Send one request and return the answer; `what` begins the sentence of a refusal."""
        connection = http.client.HTTPConnection(self._authority, timeout=_PATIENCE_S)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, quote(path, safe="/?=&%"), sent, self._headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        told = json.loads(content) if content else None
        if answer.status >= 400:
            raise RefusedError(what, answer.status, told or {})
        return told

    def pages(self, path: str) -> list[dict[str, Any]]:
        """All items of a list."""
        items: list[dict[str, Any]] = []
        query: dict[str, Any] = {"limit": _PAGE}
        while True:
            page = self.ask("GET", f"{path}?{urlencode(query)}")
            items += page["items"]
            if page["next_cursor"] is None:
                return items
            query["cursor"] = page["next_cursor"]
