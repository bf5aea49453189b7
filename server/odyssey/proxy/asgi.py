"""The proxy as an ASGI application: no pydantic, no routing table, nothing decoded before the token is known."""

import logging

import msgspec
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from odyssey.core.errors import NotFoundError, OdysseyError, problem
from odyssey.proxy.address import PREFIX, read_address
from odyssey.proxy.call import MAX_BODY_BYTES, Arrived, ProxyParts, call_tool

log = logging.getLogger(__name__)


class MethodNotAllowedError(OdysseyError):
    status, code, title = 405, "method_not_allowed", "The method is not the route's"

    def __init__(self) -> None:
        super().__init__("Tool calls are sent by POST.", headers={"Allow": "POST"})


class Proxy:
    def __init__(self, parts: ProxyParts) -> None:
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            status, body = 200, await self._serve(scope, receive)
            headers: dict[str, str] = {}
        except OdysseyError as error:
            status, body, headers = error.status, msgspec.json.encode(problem(error)), error.headers
        except ClientDisconnect:
            return
        await _respond(send, status, body, headers)

    async def _serve(self, scope: Scope, receive: Receive) -> bytes:
        raw_path: bytes = scope.get("raw_path") or scope["path"].encode("utf-8")
        path = raw_path.decode("latin-1").partition("?")[0].removeprefix(PREFIX)
        address = read_address(path)
        if address is None:
            raise NotFoundError
        if scope["method"] != "POST":
            raise MethodNotAllowedError
        headers = Headers(scope=scope)
        return await call_tool(self._parts, Arrived(address, headers, lambda: _read_body(headers, receive)))


async def _read_body(headers: Headers, receive: Receive) -> bytes | None:
    """Read at most the cap; None means there was more."""
    declared = headers.get("content-length", "0")
    if declared.isdecimal() and int(declared[:20]) > MAX_BODY_BYTES:
        return None
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk: bytes = message.get("body", b"")
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            return None
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)


async def _respond(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    media_type = "application/json" if status < 400 else "application/problem+json"
    all_headers = {"content-type": media_type, "content-length": str(len(body)), **headers}
    encoded = [
        (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in all_headers.items()
    ]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})
