"""Faults of the wire: what a client sees when a tool breaks below HTTP."""

import asyncio
import contextlib
import socket
import struct
from typing import Any

from starlette.types import Receive, Scope, Send

from odyssey.simulation.rules import FaultName

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
