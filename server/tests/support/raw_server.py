"""A server that says on the socket exactly what a test wants, and counts who came."""

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

Talk = Callable[["Peer", asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Peer:
    """A raw server: what it saw, and when its clients were gone."""

    port: int = 0
    connects: int = 0
    requests: list[bytes] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/dispatch"


@contextlib.asynccontextmanager
async def raw_server(
    talk: Talk, *, read_request: bool = True, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Peer]:
    peer = Peer()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        peer.connects += 1
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                if read_request:
                    peer.requests.append(await read_one(reader))
                    peer.asked.set()
                await talk(peer, reader, writer)
        finally:
            writer.transport.abort()
            tasks.discard(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=tls)
    peer.port = server.sockets[0].getsockname()[1]
    try:
        yield peer
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


async def read_one(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        (
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length")
        ),
        0,
    )
    return head + await reader.readexactly(length)


def replying(*pieces: bytes) -> Talk:
    async def talk(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        writer.close()
        await writer.wait_closed()

    return talk


def answer(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def until_gone(peer: Peer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while await reader.read(65536):
            pass
    peer.gone.set()


async def reset(writer: asyncio.StreamWriter) -> None:
    raw: socket.socket = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
