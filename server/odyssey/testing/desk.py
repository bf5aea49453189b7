"""The endpoint of every open run: it shows the dispatch to the test and answers with what the test says."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class Dispatched:
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
        self._waiting: dict[int, Dispatched] = {}
        self._arrival = threading.Condition()

    def take(self, run_id: int, patience_s: float) -> Dispatched | None:
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
        dispatched = Dispatched(headers, body)
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
