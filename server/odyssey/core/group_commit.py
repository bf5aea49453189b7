"""Many small durable writes, few commits: what arrives while one commit runs shares the next.

A unit is all or nothing: its condition must find a row and its guard must change one, otherwise nothing of it is
written and its author is told. SQL is written with `:name` parameters, which both drivers take.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol

from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from odyssey.core.database import Database
from odyssey.core.errors import OdysseyError

log = logging.getLogger(__name__)

MAX_BATCH = 256
_LOCK_PATIENCE_S = 30.0
_LOCK_PAUSE_S = 0.002

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


class _BatchWriter:
    """Gathers what arrives while a batch is being written; how it is written, the databases say."""

    def __init__(self) -> None:
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
            batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
            batch.sort(key=lambda one: one.unit.key)
            try:
                results = await self._write([one.unit for one in batch])
            except (SQLAlchemyError, sqlite3.Error, OSError):
                log.exception("group commit failed", extra={"units": len(batch)})
                results = None
            for position, one in enumerate(batch):
                if one.done.done():
                    continue  # whoever asked has left; the unit is written all the same
                if results is None:
                    one.done.set_exception(StorageUnavailableError())
                else:
                    one.done.set_result(results[position])

    async def _write(self, units: list[Unit]) -> list[bool]:
        raise NotImplementedError


class _SqliteWriter(_BatchWriter):
    """Statements run on the event loop, a few microseconds each; only the wait for the disk has a thread.

    A thread for all of it would hand the interpreter's lock to and fro with every statement.
    """

    def __init__(self, database: Database) -> None:
        super().__init__()
        assert database.url.database is not None
        self._path = database.url.database
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="group commit")
        self._connection: sqlite3.Connection | None = None

    async def close(self) -> None:
        await super().close()
        self._disk.shutdown()
        if self._connection is not None:
            self._connection.close()

    async def _write(self, units: list[Unit]) -> list[bool]:
        connection = self._connection = self._connection or _connect(self._path)
        await _begin(connection)
        try:
            results = [_write_unit(connection, unit) for unit in units]
            await asyncio.get_running_loop().run_in_executor(self._disk, connection.execute, "COMMIT")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return results


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


async def _begin(connection: sqlite3.Connection) -> None:
    """Take SQLite's write lock without stopping the loop, whose help the holder may need to let go."""
    deadline = asyncio.get_running_loop().time() + _LOCK_PATIENCE_S
    while True:
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or asyncio.get_running_loop().time() > deadline:
                raise
            await asyncio.sleep(_LOCK_PAUSE_S)
        else:
            return


def _write_unit(connection: sqlite3.Connection, unit: Unit) -> bool:
    if connection.execute(*unit.condition).fetchone() is None:
        return False
    if connection.execute(unit.guard.sql, _for_sqlite(unit.guard.parameters)).rowcount != 1:
        return False
    for statement in unit.rest:
        connection.execute(statement.sql, statement.parameters)
    return True


def _for_sqlite(parameters: Parameters) -> dict[str, Any]:
    """Write moments as SQLAlchemy does, so that both see the same column."""
    return {
        name: value.astimezone(UTC).replace(tzinfo=None).isoformat(sep=" ", timespec="microseconds")
        if isinstance(value, datetime)
        else value
        for name, value in parameters.items()
    }


class _PostgresWriter(_BatchWriter):
    """One transaction on a pooled connection; other processes do likewise."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self._database = database

    async def _write(self, units: list[Unit]) -> list[bool]:
        async with self._database.engine.begin() as connection:
            return [await _write_postgres(connection, unit) for unit in units]


async def _write_postgres(connection: AsyncConnection, unit: Unit) -> bool:
    await connection.execute(text(unit.lock.sql), unit.lock.parameters)
    if (await connection.execute(text(unit.condition.sql), unit.condition.parameters)).first() is None:
        return False
    if (await connection.execute(text(unit.guard.sql), unit.guard.parameters)).rowcount != 1:
        return False
    for statement in unit.rest:
        await connection.execute(text(statement.sql), statement.parameters)
    return True
