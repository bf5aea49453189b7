"""Many small durable writes, few commits: what arrives while one commit runs shares the next.

A unit is all or nothing: its condition must find a row and its guard must change one, otherwise nothing of it is
written and its author is told. SQL is written with `:name` parameters, which both drivers take. A piece of work is any
function of a connection; one that fails takes nothing of the others with it.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast

from sqlalchemy import Connection, StaticPool, create_engine, text
from sqlalchemy.ext.asyncio import AsyncConnection

from odyssey.core.database import (
    THIS_TRANSACTION,
    Database,
    StorageUnavailableError,
    is_outage,
    log_outage,
    translate_outages,
)

log = logging.getLogger(__name__)

MAX_BATCH = 256
_LOCK_PATIENCE_S = 30.0
_LOCK_PAUSE_S = 0.002

Parameters = Mapping[str, Any]
Result = TypeVar("Result")
Item = TypeVar("Item")
Work = Callable[[Connection], Any]


class Statement(NamedTuple):
    sql: str
    parameters: Parameters


class Unit(NamedTuple):
    """What is written together, and under which condition."""

    key: int
    """Units are written in this order, so that two processes never wait for each other in a circle."""
    lock: Statement
    """A SELECT … FOR UPDATE, for Postgres, which says the transaction's number; SQLite's one writer needs none."""
    condition: Statement
    guard: Statement
    rest: Sequence[Statement] = ()


class GroupWriter(Protocol):
    async def commit(self, unit: Unit) -> bool:
        """Return once the unit is durable (True) or was found not to apply (False)."""
        ...

    async def do(self, work: Callable[[Connection], Result]) -> Result:
        """Have work done in a transaction and return once it is durable. On SQLite the loop does it: keep it short."""
        ...

    async def close(self) -> None: ...


def group_writer(database: Database) -> GroupWriter:
    return _SqliteWriter(database) if database.is_sqlite else _PostgresWriter(database)


class _BatchWriter(Generic[Item]):
    """Gathers what arrives while a batch is being written; how it is written, the databases say."""

    # A is submitted: a task starts and writes the batch [A]. B and C are submitted while A's commit waits for
    # the disk: the task goes on with [B, C], one commit for both. Each author is told once its own unit is
    # durable. If B cannot be written, [B, C] is rolled back and its units are written one by one: C succeeds, and
    # B's author gets the error.

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: list[tuple[Item, asyncio.Future[Any]]] = []
        self._task: asyncio.Task[None] | None = None

    async def close(self) -> None:
        if self._task is not None:
            await self._task

    async def _submit(self, item: Item) -> Any:
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain(), name="group commit")
        return await done

    async def _drain(self) -> None:
        while self._waiting:
            async with self._database.turn:
                # Taken only now: what arrived during the wait for the turn is in this batch, not in the next.
                batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
                results = await self._write_or_fail([item for item, _ in batch])
            for (_, done), result in zip(batch, results, strict=True):
                if done.done():
                    continue  # whoever asked has left; the unit is written all the same
                if isinstance(result, Exception):
                    done.set_exception(result)
                else:
                    done.set_result(result)

    async def _write_or_fail(self, items: list[Item]) -> Sequence[Any]:
        """Write a batch. In an outage all of it fails; if one unit is at fault, the others are written without it.

        What could not be written has its error in place of a result.
        """
        try:
            return await self._write(items)
        except Exception as error:
            if isinstance(error, StorageUnavailableError):
                return [error] * len(items)
            if is_outage(error):
                log_outage(error)
                return [StorageUnavailableError()] * len(items)
            if len(items) == 1:
                log.exception("a unit cannot be written")
                return [error]
        return [(await self._write_or_fail([item]))[0] for item in items]

    async def _write(self, items: list[Item]) -> Sequence[Any]:
        raise NotImplementedError


class _SqliteWriter(_BatchWriter[Unit | Work]):
    """Statements run on the event loop, a few microseconds each; only the wait for the disk has a thread.

    A thread for all of it would hand the interpreter's lock to and fro with every statement.
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._disk = ThreadPoolExecutor(max_workers=1, thread_name_prefix="group commit")
        self._connection: Connection | None = None

    async def commit(self, unit: Unit) -> bool:
        return bool(await self._submit(unit))

    async def do(self, work: Callable[[Connection], Result]) -> Result:
        return cast(Result, await self._submit(work))

    async def close(self) -> None:
        await super().close()
        self._disk.shutdown()
        if self._connection is not None:
            self._connection.close()
            self._connection.engine.dispose()

    async def _write(self, items: list[Unit | Work]) -> Sequence[Any]:
        connection = self._connection = self._connection or _connect(self._database)
        driver = _driver(connection)
        await _begin(driver)
        try:
            results = [
                _write_unit(driver, item) if isinstance(item, Unit) else _do(connection, item)
                for item in items
            ]
            await asyncio.get_running_loop().run_in_executor(self._disk, driver.execute, "COMMIT")
        finally:
            driver.rollback()  # nothing, after a commit
            connection.rollback()
        return results


def _connect(database: Database) -> Connection:
    path = database.url.database
    assert path is not None

    def connect() -> sqlite3.Connection:
        driver = sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            driver.execute(f"PRAGMA {pragma}")
        return driver

    engine = create_engine("sqlite://", creator=connect, poolclass=StaticPool, hide_parameters=True)
    translate_outages(engine)
    return engine.connect()


def _driver(connection: Connection) -> sqlite3.Connection:
    return cast(sqlite3.Connection, connection.connection.driver_connection)


def _do(connection: Connection, work: Work) -> Any:
    driver = _driver(connection)
    driver.execute("SAVEPOINT work")
    try:
        result = work(connection)
    except Exception as error:
        if is_outage(error):
            raise  # which is not this work's fault, and may have undone what stands before it
        driver.execute("ROLLBACK TO work")
        result = error
    driver.execute("RELEASE work")
    return result


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


class _PostgresWriter(_BatchWriter[Unit]):
    """One transaction on a pooled connection; other processes do likewise. Work has one of its own."""

    async def commit(self, unit: Unit) -> bool:
        return bool(await self._submit(unit))

    async def do(self, work: Callable[[Connection], Result]) -> Result:
        async with self._database.known_end() as ending, self._database.engine.begin() as connection:
            result = await connection.run_sync(work)
            ending.number = await connection.scalar(THIS_TRANSACTION)
        return result

    async def _write(self, units: list[Unit]) -> Sequence[bool]:
        places = sorted(range(len(units)), key=lambda place: units[place].key)
        async with self._database.known_end() as ending, self._database.engine.begin() as connection:
            written: dict[int, bool] = {}
            for place in places:
                number = await connection.scalar(text(units[place].lock.sql), units[place].lock.parameters)
                written[place] = await _write_postgres(connection, units[place])
            ending.number = number
        return [written[place] for place in range(len(units))]


async def _write_postgres(connection: AsyncConnection, unit: Unit) -> bool:
    if (await connection.execute(text(unit.condition.sql), unit.condition.parameters)).first() is None:
        return False
    if (await connection.execute(text(unit.guard.sql), unit.guard.parameters)).rowcount != 1:
        return False
    for statement in unit.rest:
        await connection.execute(text(statement.sql), statement.parameters)
    return True
