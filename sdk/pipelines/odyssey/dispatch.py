"""The one route of an HTTP agent: who calls, the ping, then the task.

In this order, so that a green "Test connection" means reachable and authenticated.
"""

import asyncio
import inspect
import json
import logging
import os
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple, TypeVar

from pipelines.odyssey.context import set_current
from pipelines.odyssey.envelope import Envelope
from pipelines.odyssey.errors import EnvelopeError
from pipelines.odyssey.reply import reply_of

MAX_BODY_BYTES = 64 * 1024 * 1024
_TOKEN_ENV = "AGENT_TOKEN"  # noqa: S105 - the name of a variable

Handler = Callable[[Envelope], Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
HandlerT = TypeVar("HandlerT", bound=Handler)

_log = logging.getLogger(__name__)


def register_dispatch_route(
    app: Any,
    agent_token_env: str | None = _TOKEN_ENV,
    *,
    path: str = "/dispatch",
) -> Callable[[HandlerT], HandlerT]:
    """Serve a handler of dispatches on a FastAPI or Starlette app.

    The handler takes the Envelope, may be async or not, and returns a text, a dict with `final_response`, a
    Reply, or an object with `final_output`. The caller must show the bearer token that the named variable holds;
    None lets everybody in.
    """

    def register(handler: HandlerT) -> HandlerT:
        from starlette.routing import Route

        app.router.routes.append(Route(path, dispatch_app(handler, agent_token_env), methods=["POST"]))
        return handler

    return register


def dispatch_app(handler: Handler, agent_token_env: str | None = _TOKEN_ENV) -> "DispatchApp":
    """Serve a handler of dispatches as an ASGI app of its own, without any framework."""
    return DispatchApp(handler, agent_token_env)


class Answer(NamedTuple):
    status: int
    body: dict[str, Any]


class DispatchApp:
    def __init__(self, handler: Handler, agent_token_env: str | None) -> None:
        self._handler = handler
        self._token_env = agent_token_env

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"a dispatch is an HTTP request, not {scope['type']}")
        answer = await self._answer(scope, receive)
        if answer is None:
            return
        body = json.dumps(answer.body, ensure_ascii=False).encode("utf-8", "backslashreplace")
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _answer(self, scope: Scope, receive: Receive) -> Answer | None:
        """Answer one request; None when the caller has left."""
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        refused = self._refusal(headers.get("authorization"))
        if scope["method"] != "POST":
            refused = Answer(405, {"detail": "A dispatch is a POST."})
        if refused is not None:
            return refused
        sent = await _read_body(receive)
        if sent is None:
            return Answer(413, {"detail": f"The body is larger than {MAX_BODY_BYTES} bytes."})
        try:
            body = json.loads(sent)
        except (ValueError, RecursionError):
            return Answer(400, {"detail": "The body is not JSON."})
        if body == {"ping": True}:
            return Answer(200, {"ok": True})
        if not isinstance(body, dict):
            return Answer(400, {"detail": "The body is not a JSON object."})
        try:
            envelope = Envelope.from_dispatch(body, headers)
        except EnvelopeError as error:
            return Answer(400, {"detail": str(error)})
        return await _while_connected(self._handle(envelope), receive)

    def _refusal(self, authorization: str | None) -> Answer | None:
        if self._token_env is None:
            return None
        token = os.environ.get(self._token_env)
        if not token:
            said = f"The agent's variable {self._token_env} is not set, so nobody is let in; set it and start again."
            return Answer(503, {"detail": said})
        expected = f"Bearer {token}".encode("utf-8", "surrogateescape")
        if authorization is None or not secrets.compare_digest(authorization.encode("latin-1"), expected):
            return Answer(401, {"detail": "missing or invalid bearer token"})
        return None

    async def _handle(self, envelope: Envelope) -> Answer:
        with set_current(envelope):
            try:
                if inspect.iscoroutinefunction(self._handler):
                    value = await self._handler(envelope)
                else:
                    value = await asyncio.to_thread(self._handler, envelope)
                    if inspect.isawaitable(value):
                        value = await value
                return Answer(200, reply_of(value))
            except Exception as error:  # noqa: BLE001 - the edge of somebody else's code: its failure is an answer
                _log.exception("the dispatch handler failed")
                return Answer(500, {"detail": _said(error, envelope)})


def _said(error: Exception, envelope: Envelope) -> str:
    return f"{type(error).__name__}: {error}".replace(envelope.run_token, "****")


async def _while_connected(handling: Awaitable[Answer], receive: Receive) -> Answer | None:
    """Give up the work when the caller leaves: nobody would read its answer."""
    work = asyncio.ensure_future(handling)
    left = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait((work, left), return_when=asyncio.FIRST_COMPLETED)
        return await work if work.done() else None
    finally:
        for task in (work, left):
            task.cancel()
        await asyncio.gather(work, left, return_exceptions=True)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _read_body(receive: Receive) -> bytes | None:
    """Read the whole body; None when it is too large."""
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b""
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > MAX_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return b"".join(pieces)


async def _live(receive: Receive, send: Send) -> None:
    while True:
        kind = (await receive())["type"].removeprefix("lifespan.")
        await send({"type": f"lifespan.{kind}.complete"})
        if kind == "shutdown":
            return
