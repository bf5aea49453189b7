"""The proxy as an ASGI application: no pydantic, no routing table, nothing decoded before the token is known."""

import asyncio
import logging

import msgspec
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from odyssey.core.errors import NotFoundError, OdysseyError, problem
from odyssey.proxy.address import PREFIX, ProxyAddress, read_address
from odyssey.proxy.call import call_tool
from odyssey.proxy.faults import break_wire
from odyssey.proxy.mcp.gateway import Gateway
from odyssey.proxy.parts import MAX_BODY_BYTES, Arrived, ProxyParts
from odyssey.proxy.trace_events import post_trace_event

log = logging.getLogger(__name__)


class MethodNotAllowedError(OdysseyError):
    status, code, title = 405, "method_not_allowed", "The method is not the route's"

    def __init__(self) -> None:
        super().__init__(
            "Tool calls, trace events and MCP messages are sent by POST.", headers={"Allow": "POST"}
        )


class Proxy:
    def __init__(self, parts: ProxyParts, gateway: Gateway) -> None:
        self._parts = parts
        self._gateway = gateway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._serve(scope, receive, send)
        except OdysseyError as error:
            await _respond(send, error.status, msgspec.json.encode(problem(error)), error.headers)
        except ClientDisconnect:
            return
        except Exception:  # the edge of the proxy: an agent gets a problem, the log the place
            log.exception("unexpected error in the proxy", extra={"path": scope["path"]})
            failure = OdysseyError("Odyssey failed to serve this call; its log has the place.")
            await _respond(send, failure.status, msgspec.json.encode(problem(failure)), {})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = _address(scope)
        if scope["method"] != "POST":
            raise MethodNotAllowedError
        headers = Headers(scope=scope)
        arrived = Arrived(address, headers, lambda: _read_body(headers, receive))
        if address.what == "traces":
            await _respond(send, 200, await post_trace_event(self._parts, arrived), {})
            return
        if address.what == "mcp":
            answer = await self._gateway.serve(arrived, scope, receive)
            if answer.fault is not None:
                await break_wire(answer.fault, scope, receive, send)
                return
            await send({"type": "http.response.start", "status": answer.status, "headers": answer.headers})
            await send({"type": "http.response.body", "body": answer.body})
            return
        served = await call_tool(self._parts, arrived)
        if served.wait_ms:
            await asyncio.sleep(served.wait_ms / 1000)
        if served.fault is not None:
            await break_wire(served.fault, scope, receive, send)
            return
        await _respond(send, 200, served.body, {})


def _address(scope: Scope) -> ProxyAddress:
    raw_path: bytes = scope.get("raw_path") or scope["path"].encode("utf-8")
    address = read_address(raw_path.decode("latin-1").removeprefix(PREFIX))
    if address is None:
        raise NotFoundError
    return address


async def _read_body(headers: Headers, receive: Receive) -> bytes | None:
    """Read at most the cap; None means there was more."""
    declared = headers.get("content-length", "0")
    if declared.isdecimal() and int(declared[:20]) > MAX_BODY_BYTES:
        return None
    body: bytes = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            return None
        if not message.get("more_body", False):
            return body


async def _respond(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    media_type = b"application/json" if status < 400 else b"application/problem+json"
    encoded = [(b"content-type", media_type), (b"content-length", b"%d" % len(body))]
    encoded += [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})
