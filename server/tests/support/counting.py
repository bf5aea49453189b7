"""What a platform does, counted without a clock: lines of Python, and statements that SQLite runs."""

import asyncio
import sqlite3
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from sqlalchemy import Pool, event
from sqlalchemy.pool import ConnectionPoolEntry

from odyssey.core.database import Database

_TESTS = (Path(__file__).parents[1], Path(__file__).parents[3] / "benchmarks")
_PYTHON, _PACKAGES = (Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib"))
_LEFT_OUT = tuple(
    str(path)
    for path in (
        *_TESTS,
        *(_PYTHON / name for name in ("asyncio", "concurrent", "selectors.py", "threading.py", "queue.py")),
        *(_PACKAGES / name for name in ("uvicorn", "h11", "aiosqlite")),
    )
)
"""What is not the platform's, and what goes round as often as the moment has it: event loops, threads, sockets."""

_CALM = 50
"""Rounds of the event loop: far more than lie between the end of one step of some work and the begin of its next."""


class Cost(NamedTuple):
    lines: int
    statements: int


class Counter:
    """Counts in every thread that is started while it is there; the lines of a thread from before are not counted."""

    def __init__(self) -> None:
        self._is_counting = False
        self._counted: dict[CodeType, bool] = {}
        self._lines = 0
        self._statements = 0
        self._in_use = 0

    @contextmanager
    def watching(self) -> Iterator["Counter"]:
        """Start the platform in this block: connections and threads made in it are watched."""
        listeners: dict[str, Callable[..., None]] = {
            "connect": self._connected,
            "checkout": self._taken,
            "checkin": self._given_back,
        }
        for name, listener in listeners.items():
            event.listen(Pool, name, listener)
        threading.settrace(self._entered)
        try:
            yield self
        finally:
            threading.settrace(None)
            for name, listener in listeners.items():
                event.remove(Pool, name, listener)

    def cost(self, act: Callable[[], None]) -> Cost:
        self._lines = self._statements = 0
        self._is_counting = True
        try:
            act()
        finally:
            self._is_counting = False
        return Cost(self._lines, self._statements)

    async def quiet(self, database: Database) -> None:
        """Wait until nothing is under way: nobody uses a connection while the event loop goes round and round."""
        calm = 0
        while calm < _CALM:
            await asyncio.sleep(0)
            calm = 0 if database.turn.locked() or self._in_use else calm + 1

    def _entered(self, frame: FrameType, what: str, argument: Any) -> Any:
        if not self._is_counting:
            return None
        code = frame.f_code
        if code not in self._counted:
            self._counted[code] = not code.co_filename.startswith(_LEFT_OUT)
        return self._stepped if self._counted[code] else None

    def _stepped(self, frame: FrameType, what: str, argument: Any) -> Any:
        if what == "line" and self._is_counting:
            self._lines += 1
        return self._stepped

    def _connected(self, connection: Any, record: ConnectionPoolEntry) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.set_trace_callback(self._ran)  # the group writer's, which it never gives back
        elif hasattr(connection.driver_connection, "set_trace_callback"):  # not one of a platform on Postgres
            connection.run_async(lambda driver: driver.set_trace_callback(self._ran))
            record.info[self] = True

    def _taken(self, connection: object, record: ConnectionPoolEntry, proxy: object) -> None:
        self._in_use += self in record.info

    def _given_back(self, connection: object, record: ConnectionPoolEntry) -> None:
        self._in_use -= self in record.info

    def _ran(self, statement: str) -> None:
        if self._is_counting:
            self._statements += 1
