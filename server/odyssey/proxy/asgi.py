"""The proxy as an ASGI application: no pydantic, no routing table, nothing decoded before the token is known."""

import asyncio
import contextlib
import logging
import socket
import struct
from typing import Any

import msgspec
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from odyssey.core.errors import NotFoundError, OdysseyError, problem
from odyssey.proxy.call import call_tool
from odyssey.proxy.mcp.gateway import Gateway
from odyssey.proxy.parts import MAX_BODY_BYTES, PREFIX, ProxyAddress, ProxyParts, ProxyRequest, read_address
from odyssey.proxy.trace_events import post_trace_event
from odyssey.simulation.rules import FaultName

# Faults of the wire: what a client sees when a tool breaks below HTTP.

TRANSPORT = "odyssey.transport"
"""Where our HTTP protocol puts the connection's transport into the scope."""

LONGEST_SILENCE_S = 120.0

_GARBAGE = b"\x00\xff\xfe<<%$ not json \x80\x81{" * 4
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


async def break_wire(fault: FaultName, scope: Scope, receive: Receive, send: Send) -> None:
    if fault == "garbage":
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(_GARBAGE)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": _GARBAGE})
        return
    transport: asyncio.Transport = scope[TRANSPORT]
    if fault == "timeout":
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_SILENCE_S):
                await _until_gone(receive)
    elif fault == "reset":
        connection: Any = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    transport.abort()
    await _until_gone(receive)  # or uvicorn would take the silence for our mistake


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


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
        arrived = ProxyRequest(address, headers, lambda: _read_body(headers, receive))
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
