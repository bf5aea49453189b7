"""A TCP proxy in front of a real service that breaks the exchange in one chosen way, and counts what passes it."""

import asyncio
import contextlib
import gzip
import socket
import struct
import threading
from collections.abc import Awaitable, Callable
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MIB = 1024 * 1024
_JUNK = b"\x00\xff\xfe<<%$ no protocol at all \x80\x81\r\n\r\n" * 4


class Fault(StrEnum):
    NONE = "none"
    REFUSED = "refused"
    BLACK_HOLE = "black hole"
    RESET_AT_ONCE = "reset at once"
    RESET_UNREAD = "reset before the request is read"
    RESET_FORWARDED = "reset after the request was forwarded"
    CLOSED_SILENTLY = "closed without a byte"
    CLOSED_MID_HEADERS = "closed mid-headers"
    CLOSED_MID_BODY = "closed mid-body"
    CUT_CHUNKS = "chunks cut short"
    TRICKLE = "slow trickle"
    NEVER = "never answering"
    GARBAGE = "garbage"
    TLS_GARBAGE = "garbage on TLS"
    PLAIN_ON_TLS = "plain HTTP on TLS"
    OVERSIZE = "oversize body"
    GZIP_BOMB = "oversize once unpacked"
    BAD_GZIP = "bad gzip"
    UNAVAILABLE = "503"


class Link:
    """One connection to the proxy."""

    def __init__(
        self, proxy: "FaultProxy", reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._proxy = proxy
        self.reader = reader
        self._writer = writer

    async def service(self) -> tuple[bytes, bytes]:
        """Pass the request on; returns head and body of the service's answer, which nobody has seen yet."""
        request = await _read_request(self.reader)
        reader, writer = await asyncio.open_connection("127.0.0.1", self._proxy.service_port)
        self._proxy.forwarded += 1
        writer.write(request)
        answer = await reader.read()
        writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        return head, body

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def answer(self, status: str, body: bytes, *headers: str) -> None:
        head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
        await self.send("\r\n".join(head).encode() + b"\r\n\r\n" + body)

    def reset(self) -> None:
        raw: socket.socket = self._writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


async def _none(link: Link) -> None:
    head, body = await link.service()
    await link.send(head + b"\r\n\r\n" + body)


async def _reset_at_once(link: Link) -> None:
    link.reset()


async def _reset_unread(link: Link) -> None:
    await link.reader.read(1)
    link.reset()


async def _reset_forwarded(link: Link) -> None:
    await link.service()
    link.reset()


async def _closed_silently(link: Link) -> None:
    await link.service()


async def _closed_mid_headers(link: Link) -> None:
    head, _ = await link.service()
    await link.send(head[:-5])


async def _closed_mid_body(link: Link) -> None:
    _, body = await link.service()
    await link.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (len(body) + 1000) + body)


async def _cut_chunks(link: Link) -> None:
    _, body = await link.service()
    await link.send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % len(body) + body)


async def _trickle(link: Link) -> None:
    await link.service()
    await link.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while True:
        await link.send(b" ")
        await asyncio.sleep(0.02)


async def _never(link: Link) -> None:
    await link.service()
    await link.reader.read()


async def _garbage(link: Link) -> None:
    await link.service()
    await link.send(_JUNK)


async def _tls_garbage(link: Link) -> None:
    await link.reader.read(1)
    await link.send(b"\x16\x03\x03\x00\x80" + _JUNK)


async def _plain_on_tls(link: Link) -> None:
    await link.reader.read(1)
    await link.answer("400 Bad Request", b"this is not https")


async def _oversize(link: Link) -> None:
    await link.service()
    await link.answer("200 OK", b" " * (MIB + 1))


async def _gzip_bomb(link: Link) -> None:
    await link.service()
    await link.answer("200 OK", gzip.compress(bytes(2 * MIB)), "Content-Encoding: gzip")


async def _bad_gzip(link: Link) -> None:
    _, body = await link.service()
    await link.answer("200 OK", body, "Content-Encoding: gzip")


async def _unavailable(link: Link) -> None:
    await link.service()
    await link.answer("503 Service Unavailable", b"<html>come back later</html>", "Retry-After: 1")


_SERVED: dict[Fault, Callable[[Link], Awaitable[None]]] = {
    Fault.NONE: _none,
    Fault.RESET_AT_ONCE: _reset_at_once,
    Fault.RESET_UNREAD: _reset_unread,
    Fault.RESET_FORWARDED: _reset_forwarded,
    Fault.CLOSED_SILENTLY: _closed_silently,
    Fault.CLOSED_MID_HEADERS: _closed_mid_headers,
    Fault.CLOSED_MID_BODY: _closed_mid_body,
    Fault.CUT_CHUNKS: _cut_chunks,
    Fault.TRICKLE: _trickle,
    Fault.NEVER: _never,
    Fault.GARBAGE: _garbage,
    Fault.TLS_GARBAGE: _tls_garbage,
    Fault.PLAIN_ON_TLS: _plain_on_tls,
    Fault.OVERSIZE: _oversize,
    Fault.GZIP_BOMB: _gzip_bomb,
    Fault.BAD_GZIP: _bad_gzip,
    Fault.UNAVAILABLE: _unavailable,
}


class FaultProxy:
    """Listens from construction to `stop()`, in a thread of its own."""

    def __init__(self, service_port: int, fault: Fault) -> None:
        self.service_port = service_port
        self.fault = fault
        self.connections = 0
        self.forwarded = 0
        """Requests that were passed on to the service."""
        self._listener = socket.socket(proto=socket.IPPROTO_TCP)
        self._listener.bind(("127.0.0.1", 0))
        scheme = "https" if fault in (Fault.TLS_GARBAGE, Fault.PLAIN_ON_TLS) else "http"
        self.url = f"{scheme}://127.0.0.1:{self._listener.getsockname()[1]}"
        self._waiting: list[socket.socket] = []
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread: threading.Thread | None = None
        if fault is Fault.BLACK_HOLE:
            self._fill_queue()
        elif fault is not Fault.REFUSED:  # a bound socket that does not listen refuses
            self._listener.listen(128)
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        if self._thread is not None:
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join(timeout=10)
        self._loop.close()
        for waiting in self._waiting:
            waiting.close()
        self._listener.close()

    def _fill_queue(self) -> None:
        """Leave no place for a connection nobody accepts: the kernel ignores who comes after these."""
        self._listener.listen(0)
        for _ in range(4):
            waiting = socket.socket()
            waiting.setblocking(False)
            waiting.connect_ex(self._listener.getsockname())
            self._waiting.append(waiting)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        links: set[asyncio.Task[None]] = set()

        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.connections += 1
            task = asyncio.current_task()
            assert task is not None
            links.add(task)
            try:
                with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                    await _SERVED[self.fault](Link(self, reader, writer))
            finally:
                writer.close()
                links.discard(task)

        server = await asyncio.start_server(accept, sock=self._listener)
        await self._over.wait()
        server.close()
        for task in tuple(links):
            task.cancel()
        await asyncio.gather(*links, return_exceptions=True)
        await server.wait_closed()


async def _read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    lengths = [
        line.partition(b":")[2] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
    ]
    return head + await reader.readexactly(int(lengths[0]) if lengths else 0)


class CountingService:
    """A service that does something at every request: `served` is how often it was asked for what."""

    def __init__(self) -> None:
        self.served: list[tuple[str, str]] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                service.served.append((self.command, self.path))
                body = b'{"item_id": "i1", "state": "seen"}'
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_PUT(self) -> None:
                self.do_GET()

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)
