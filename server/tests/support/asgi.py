"""An ASGI application on a real socket, with an event loop and a thread of its own."""

import asyncio
import socket
import threading
import time
from collections.abc import Coroutine
from typing import Any, Self, TypeVar

import uvicorn

Result = TypeVar("Result")


class Served:
    """Starts on construction; `stop()` ends it and what is open."""

    def __init__(self, app: Any) -> None:
        listener = socket.socket(proto=socket.IPPROTO_TCP)  # or asyncio leaves Nagle's delay on
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        config = uvicorn.Config(app, log_config=None, ws="none", loop="asyncio", lifespan="on")
        config.timeout_graceful_shutdown = 1
        self._server = uvicorn.Server(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, args=(listener,), daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 60
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("the application did not start")
            time.sleep(0.005)

    def _run(self, listener: socket.socket) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            await self._server.serve(sockets=[listener])

        asyncio.run(serve())
        listener.close()

    def do(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine on the application's own loop."""
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=60)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=30)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
