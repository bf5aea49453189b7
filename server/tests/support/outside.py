"""The world outside in tests: listeners that nobody may reach, and names whose addresses change."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest


class Decoy:
    """Listens and counts who connects, until `close()`."""

    def __init__(self, address: str, port: int = 0) -> None:
        self.connects = 0
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._listener = socket.socket(family)
        self._listener.bind((address, port))
        self._listener.listen(64)
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._count, daemon=True)
        self._thread.start()

    def _count(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connects += 1
            connection.close()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(timeout=10)


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Reply(NamedTuple):
    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


def sent_on(location: str, status: int = 307) -> Reply:
    return Reply(status, b"elsewhere", (("Location", location),))


def as_json(value: Any) -> Reply:
    return Reply(200, json.dumps(value).encode(), (("Content-Type", "application/json"),))


class OutsideServer:
    """Any HTTP service; `behaviour` may be another at any time, and `asked` keeps every request."""

    def __init__(self, behaviour: Callable[[Request], Reply] = lambda request: as_json({})) -> None:
        self.behaviour = behaviour
        self.asked: list[Request] = []
        outside = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.command, self.path, headers, body)
                outside.asked.append(request)
                reply = outside.behaviour(request)
                self.send_response(reply.status)
                for name, value in reply.headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - the names http.server looks for

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)


@contextmanager
def own_names() -> Iterator[dict[str, list[str]]]:
    """Answer for the names in the yielded table instead of the machine's resolver."""
    names: dict[str, list[str]] = {}
    ask_machine = socket.getaddrinfo

    def look_up(host: Any, port: Any, *rest: Any, **options: Any) -> Any:
        if host not in names:
            return ask_machine(host, port, *rest, **options)
        kinds = [socket.AF_INET6 if ":" in address else socket.AF_INET for address in names[host]]
        return [
            (kind, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port) + (0, 0) * (":" in address))
            for kind, address in zip(kinds, names[host], strict=True)
        ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", look_up)
        yield names
