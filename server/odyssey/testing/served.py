"""An ASGI application on a free port of this machine, in a thread and an event loop of its own."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from typing import Any

import uvicorn

from odyssey.testing.errors import NotServedError

_BACKLOG = 512
_PATIENCE_S = 60.0


class Served:
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
        self._server = _Server(config, self._settled)
        self._thread = threading.Thread(target=self._serve, args=(listener,), name="odyssey", daemon=True)
        self._thread.start()
        self._settled.wait(_PATIENCE_S)
        if not self._server.started:
            self.stop()
            raise NotServedError(f"The application at {self.url} did not start; its log says why.")

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(_PATIENCE_S)

    def _serve(self, listener: socket.socket) -> None:
        try:
            with contextlib.suppress(SystemExit):  # what uvicorn makes of an application that does not start
                asyncio.run(self._server.serve(sockets=[listener]))
        finally:
            listener.close()
            self._settled.set()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: threading.Event) -> None:
        super().__init__(config)
        self._told = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._told.set()
