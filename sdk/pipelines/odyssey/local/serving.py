"""Serves an ASGI app of this process on a free port, in a thread: for checks that go over the wire."""

import logging
import socket
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from pipelines.odyssey.distribution import how_to_install
from pipelines.odyssey.local.proxy import LOOPBACK


class NotServedError(Exception):
    """The app cannot be served; the message says why and what to do."""


class Served(NamedTuple):
    url: str
    raised: list[str]
    """What the app raised while it was served, one line each."""


@contextmanager
def served(app: Any) -> Iterator[Served]:
    """Serve an app until the block ends. Needs uvicorn."""
    try:
        import uvicorn
    except ImportError:
        raise NotServedError(f"uvicorn is not installed; {how_to_install('odyssey')}") from None
    raised: list[str] = []
    listener = socket.create_server((LOOPBACK, 0))
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="auto"))
    thread = threading.Thread(target=_serve, args=(server, listener), name="served-app", daemon=True)
    with _Kept(raised), listener:
        thread.start()
        # A connection waits in the listener's queue until the app has started, so that nothing else need be awaited.
        while thread.is_alive() and not server.started:
            thread.join(0.01)
        if not server.started:
            why = raised[-1] if raised else "it ended while it started"
            raise NotServedError(f"the app does not start: {why}")
        try:
            yield Served(f"http://{LOOPBACK}:{listener.getsockname()[1]}", raised)
        finally:
            server.should_exit = True
            thread.join()


def _serve(server: Any, listener: socket.socket) -> None:
    with suppress(SystemExit):  # how uvicorn says that the app did not start
        server.run(sockets=[listener])


class _Kept(logging.Handler):
    """Keeps the errors that are logged while the app is served, instead of showing them in between."""

    def __init__(self, raised: list[str]) -> None:
        super().__init__(logging.ERROR)
        self._raised = raised
        self._loggers = [logging.getLogger(name) for name in ("uvicorn.error", "pipelines.odyssey.dispatch")]

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            self._raised.append(f"{type(error).__name__}: {error}{_where(error)}")
        elif record.levelno >= logging.ERROR:
            self._raised.append(
                record.getMessage().strip().splitlines()[-1:][0] if record.getMessage() else ""
            )

    def __enter__(self) -> None:
        self._before = [logger.propagate for logger in self._loggers]
        for logger in self._loggers:
            logger.propagate = False
            logger.addHandler(self)

    def __exit__(self, *_: object) -> None:
        for logger, propagate in zip(self._loggers, self._before, strict=True):
            logger.removeHandler(self)
            logger.propagate = propagate


def _where(error: BaseException) -> str:
    """Name the last line of the project's own, else the last line."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(Path.cwd())]
    last = (own or frames)[-1:]
    return "".join(f" ({Path(frame.filename).name}, line {frame.lineno})" for frame in last)
