"""Many small durable writes, few commits: what arrives while one commit runs shares the next.

A unit is all or nothing: its condition must find a row and its guard must change one, otherwise nothing of it is
written and its author is told. SQL is written with `:name` parameters, which both drivers take.
"""

import asyncio
import contextlib
import logging
import queue
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from odyssey.core.database import Database
from odyssey.core.errors import OdysseyError

log = logging.getLogger(__name__)

MAX_BATCH = 256

Parameters = Mapping[str, Any]


class Statement(NamedTuple):
    sql: str
    parameters: Parameters


class Unit(NamedTuple):
    """What is written together, and under which condition."""

    key: int
    """Units are written in this order, so that two processes never wait for each other in a circle."""
    lock: Statement
    """A SELECT … FOR UPDATE, for Postgres; SQLite's one writer needs none."""
    condition: Statement
    guard: Statement
    rest: Sequence[Statement] = ()


class StorageUnavailableError(OdysseyError):
    status, code, title, retryable = 503, "storage_unavailable", "The database cannot be written to", True

    def __init__(self) -> None:
        super().__init__("The database refused the write; nothing was applied. Try again.", retry_after_s=1)


class GroupWriter(Protocol):
    async def commit(self, unit: Unit) -> bool:
        """Return once the unit is durable (True) or was found not to apply (False)."""
        ...

    async def close(self) -> None: ...


def group_writer(database: Database) -> GroupWriter:
    return _SqliteWriter(database) if database.is_sqlite else _PostgresWriter(database)


class _Waiting(NamedTuple):
    unit: Unit
    done: asyncio.Future[bool]


def _settle(waiting: Sequence[_Waiting], results: Sequence[bool] | None) -> None:
    for position, one in enumerate(waiting):
        if one.done.done():
            continue
        if results is None:
            one.done.set_exception(StorageUnavailableError())
        else:
            one.done.set_result(results[position])


class _SqliteWriter:
    """A thread with a connection of its own; the event loop never waits for the disk."""

    def __init__(self, database: Database) -> None:
        assert database.url.database is not None
        self._path = database.url.database
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def commit(self, unit: Unit) -> bool:
        loop = asyncio.get_running_loop()
        if self._thread is None:
            self._loop = loop
            self._thread = threading.Thread(target=self._work, name="group commit", daemon=True)
            self._thread.start()
        done: asyncio.Future[bool] = loop.create_future()
        self._queue.put(_Waiting(unit, done))
        return await done

    async def close(self) -> None:
        if self._thread is not None:
            self._queue.put(None)
            await asyncio.to_thread(self._thread.join)

    def _work(self) -> None:
        connection = sqlite3.connect(self._path, isolation_level=None, timeout=30)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")
        with contextlib.closing(connection):
            while True:
                batch, last = self._next_batch()
                if batch:
                    self._tell(batch, _write_sqlite(connection, batch))
                if last:
                    return

    def _next_batch(self) -> tuple[list[_Waiting], bool]:
        batch: list[_Waiting] = []
        first = self._queue.get()
        while first is not None:
            batch.append(first)
            if len(batch) == MAX_BATCH:
                return batch, False
            try:
                first = self._queue.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True

    def _tell(self, batch: list[_Waiting], results: list[bool] | None) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(_settle, batch, results)


def _write_sqlite(connection: sqlite3.Connection, batch: list[_Waiting]) -> list[bool] | None:
    try:
        connection.execute("BEGIN IMMEDIATE")
        results = [_write_unit(connection, one.unit) for one in batch]
        connection.execute("COMMIT")
    except sqlite3.Error:
        log.exception("group commit failed", extra={"units": len(batch)})
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        return None
    return results


def _write_unit(connection: sqlite3.Connection, unit: Unit) -> bool:
    if connection.execute(*unit.condition).fetchone() is None:
        return False
    if connection.execute(unit.guard.sql, _for_sqlite(unit.guard.parameters)).rowcount != 1:
        return False
    for statement in unit.rest:
        connection.execute(statement.sql, _for_sqlite(statement.parameters))
    return True


def _for_sqlite(parameters: Parameters) -> dict[str, Any]:
    """Write moments as SQLAlchemy does, so that both see the same column."""
    return {
        name: value.astimezone(UTC).replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")
        if isinstance(value, datetime)
        else value
        for name, value in parameters.items()
    }


class _PostgresWriter:
    """The same by a task and a pooled connection; other processes do likewise."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[_Waiting] = []
        self._task: asyncio.Task[None] | None = None

    async def commit(self, unit: Unit) -> bool:
        done: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(unit, done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain(), name="group commit")
        return await done

    async def close(self) -> None:
        if self._task is not None:
            await self._task

    async def _drain(self) -> None:
        while self._waiting:
            batch = sorted(self._waiting[:MAX_BATCH], key=lambda one: one.unit.key)
            del self._waiting[:MAX_BATCH]
            results: list[bool] | None
            try:
                async with self._database.engine.begin() as connection:
                    results = [await _write_postgres(connection, one.unit) for one in batch]
            except (SQLAlchemyError, OSError):
                log.exception("group commit failed", extra={"units": len(batch)})
                results = None
            _settle(batch, results)


async def _write_postgres(connection: AsyncConnection, unit: Unit) -> bool:
    await connection.execute(text(unit.lock.sql), unit.lock.parameters)
    if (await connection.execute(text(unit.condition.sql), unit.condition.parameters)).first() is None:
        return False
    if (await connection.execute(text(unit.guard.sql), unit.guard.parameters)).rowcount != 1:
        return False
    for statement in unit.rest:
        await connection.execute(text(statement.sql), statement.parameters)
    return True
