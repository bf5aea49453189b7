"""Sessions on SQLite or Postgres. One `read()` or `write()` block is one transaction; nobody else commits.

SQLite has one writer: whoever writes waits for its turn, so that "database is locked" cannot happen inside a process.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import asyncpg
from sqlalchemy import NullPool, event, insert, text
from sqlalchemy.engine import URL, Engine, ExceptionContext, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine

from odyssey.core.errors import OdysseyError
from odyssey.core.tables import Base, table_of

# When the database or its disk is away: how that is recognised, and what callers are told.
#
# Every engine translates what its driver says of an outage into `StorageUnavailableError`, where it happens.
# A mistake of ours (a statement that is wrong, a value that does not fit) stays what it is and becomes a 500:
# only an outage may be tried again, and only an outage keeps a run from being measured.

log = logging.getLogger(__name__)

CONNECTION_ERRORS: Final = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError)
"""What a failed attempt to connect to Postgres raises; SQLAlchemy passes it on as it is."""

_SQLITE_OUTAGES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)
_PRIMARY_CODE = 0xFF
"""SQLite adds detail in higher bits: SQLITE_IOERR_WRITE is an SQLITE_IOERR."""

_POSTGRES_OUTAGES = ("08", "53", "57P", "58", "25006")
"""Connection, resources (disk full, too many connections), shutdown, system error, read-only after a failover."""


_NOTHING_APPLIED = "The database cannot be reached or written to; nothing was changed. Try again."
_UNKNOWN = "The database was lost while this was being stored. Look whether it was, before you repeat it."


class StorageUnavailableError(OdysseyError):
    status, code, title, retryable = 503, "storage_unavailable", "The database is not available", True

    def __init__(self, *, retryable: bool = True) -> None:
        self.retryable = retryable
        super().__init__(_NOTHING_APPLIED if retryable else _UNKNOWN, retry_after_s=1)


def is_outage(error: BaseException) -> bool:
    """Say whether an error of the database, or of the way to it, means that it cannot be used just now."""
    if isinstance(error, StorageUnavailableError | PoolTimeoutError | TimeoutError):
        return True
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE in _SQLITE_OUTAGES
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    if isinstance(error, InterfaceError):  # a value that the driver cannot send is one, too
        return not isinstance(getattr(error.orig, "__cause__", None), ValueError)
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_POSTGRES_OUTAGES)
    return isinstance(error.orig, sqlite3.Error) and is_outage(error.orig)


def translate_outages(engine: Engine) -> None:
    """Let an engine raise StorageUnavailableError for outages, and log what the database itself said."""

    @event.listens_for(engine, "handle_error")
    def _translate(context: ExceptionContext) -> BaseException | None:
        error = context.original_exception
        is_silence = isinstance(error, OSError)
        if context.is_pre_ping or not (is_silence or is_outage(context.sqlalchemy_exception or error)):
            return None
        context.is_disconnect = context.is_disconnect or is_silence
        log_outage(error)
        return StorageUnavailableError()

    @event.listens_for(engine, "do_connect")
    def _connect(dialect: Any, record: object, arguments: Any, options: Any) -> Any:
        try:
            return dialect.connect(*arguments, **options)
        except CONNECTION_ERRORS as error:
            log_outage(error)
            raise StorageUnavailableError from error


def log_outage(error: BaseException) -> None:
    """Log the driver's message alone: a statement's parameters may hold secrets."""
    log.error("the database is not available: %s: %s", type(error).__name__, error)


_AFTER_COMMIT = "after_commit"
_HAS_TURN = "has_turn"

THIS_TRANSACTION = text("SELECT CAST(pg_current_xact_id_if_assigned() AS text)")
_STATE_OF_TRANSACTION = text("SELECT pg_xact_status(CAST(CAST(:number AS text) AS xid8))")
_READ_BACK_PAUSES_S = (0.0, 0.1, 0.4, 1.5)
_CONNECT_S = 10.0
_STATEMENT_S = 60.0
"""Longer than any statement of a request takes: whoever waits for a database that has fallen silent is told so."""


class Ending:
    """The end of one transaction: its number on Postgres, set once nothing but the commit is left."""

    __slots__ = ("number",)

    def __init__(self) -> None:
        self.number: str | None = None


class Database:
    def __init__(self, url: str) -> None:
        self.url = _read_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self.turn = asyncio.Lock()
        """Held by the one who writes: on SQLite every writer of this process, on Postgres only the group writer."""
        self.look_again_s = 5.0 if self.is_sqlite else 1.0
        """After how long an idle loop looks for work unasked: on SQLite it hears of all there is, by signals."""
        if self.is_sqlite:
            self._writer = _sqlite_engine(url, pool_size=1, begin="BEGIN IMMEDIATE", turn=self.turn)
            self._reader = _sqlite_engine(url, pool_size=8, begin="BEGIN")
        else:
            self._writer = self._reader = _postgres_engine(url, statement_s=_STATEMENT_S)

    @property
    def engine(self) -> AsyncEngine:
        return self._writer

    @property
    def reader(self) -> AsyncEngine:
        return self._reader

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        async with _silence_is_outage(), AsyncSession(self._reader, expire_on_commit=False) as session:
            yield session

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        async with _silence_is_outage(), AsyncSession(self._writer, expire_on_commit=False) as session:
            async with self.known_end() as ending, session.begin():
                yield session
                if not self.is_sqlite:
                    await session.flush()
                    ending.number = await session.scalar(THIS_TRANSACTION)
            for callback in session.info.pop(_AFTER_COMMIT, ()):
                callback()

    @asynccontextmanager
    async def known_end(self) -> AsyncIterator[Ending]:
        """Put around a transaction: where the connection breaks off during the commit, ask what became of it.

        SQLite rolls back a commit that fails. Postgres may have committed and lost only its answer; it knows a
        transaction by its number. Raises StorageUnavailableError, not retryable if the question stays open.
        """
        # The connection breaks during the commit of transaction 731. Another connection is asked what became of it:
        #   "committed"                  the block ends as if nothing had happened
        #   "aborted"                    StorageUnavailableError; to try again is safe
        #   "in progress", or no answer  asked again for two seconds, then StorageUnavailableError, not retryable
        ending = Ending()
        try:
            yield ending
        except Exception as error:
            if ending.number is None or not is_outage(error):
                raise
            if not await self._was_committed(ending.number):
                raise StorageUnavailableError from error

    async def _was_committed(self, number: str) -> bool:
        for pause_s in _READ_BACK_PAUSES_S:
            await asyncio.sleep(pause_s)
            try:
                async with self._reader.connect() as connection:
                    state = await connection.scalar(_STATE_OF_TRANSACTION, {"number": number})
            except Exception as error:
                if not is_outage(error):
                    raise
                continue
            if state in ("committed", "aborted"):
                return bool(state == "committed")
        raise StorageUnavailableError(retryable=False)

    @asynccontextmanager
    async def patient_transaction(self) -> AsyncIterator[AsyncConnection]:
        """Begin a transaction whose statements may take as long as they need: a migration, or waiting for one."""
        async with self._writer.connect():
            pass  # an engine's very first connection learns about the database: not in a request that may be cut off
        engine = self._writer if self.is_sqlite else _postgres_engine(self._writer.url, statement_s=None)
        try:
            async with engine.begin() as connection:
                yield connection
        finally:
            if engine is not self._writer:
                await engine.dispose()

    @asynccontextmanager
    async def own_connection(self, name: str) -> AsyncIterator[Any]:
        """Open a driver's connection to Postgres that is nobody else's, outside every transaction, for this block."""
        named = {"server_settings": {"application_name": name}}
        engine = create_async_engine(self._writer.url, poolclass=NullPool, connect_args=named)
        async with engine.connect() as connection:
            yield (await connection.get_raw_connection()).driver_connection

    async def close(self) -> None:
        await self._writer.dispose()
        await self._reader.dispose()


@asynccontextmanager
async def _silence_is_outage() -> AsyncIterator[None]:
    """Translate the one outage that no engine's event sees: the pool's own look at a connection gets no answer."""
    try:
        yield
    except TimeoutError as error:
        log_outage(error)
        raise StorageUnavailableError from error


def _read_url(url: str) -> URL:
    """Read an address; what is said of a bad one shows nothing of it, since it holds a password."""
    try:
        read = make_url(url)
    except (ArgumentError, ValueError):
        read = None
    if read is None or "@" in (read.database or ""):  # of a password with / in it the rest would be the name
        raise ValueError(
            "--database-url cannot be read; write postgresql://user:password@host:5432/name, with %-escapes for "
            "/ @ : in the user and the password"
        )
    return read


def after_commit(session: AsyncSession, callback: Callable[[], None]) -> None:
    """Have `callback` called once this write is durable, and never if it is not."""
    session.info.setdefault(_AFTER_COMMIT, []).append(callback)


async def insert_numbered(
    session: AsyncSession, entity: type[Base], rows: Sequence[dict[str, Any]]
) -> Sequence[int]:
    """Insert rows that get their `id` from the database, with few statements; returns the ids in the rows' order."""
    if not rows:
        return []
    table = table_of(entity)
    # SQLite hands ids out in the order of the rows, but tells them in any.
    in_order = session.get_bind().dialect.name != "sqlite"
    statement = insert(table).returning(table.c.id, sort_by_parameter_order=in_order)
    connection = await session.connection()
    ids: Sequence[int] = (await connection.scalars(statement, list(rows))).all()
    return ids if in_order else sorted(ids)


def _sqlite_engine(url: str, *, pool_size: int, begin: str, turn: asyncio.Lock | None = None) -> AsyncEngine:
    """Make an engine whose transactions wait for their turn when they begin, and keep it until they are over."""
    engine = create_async_engine(
        url, pool_size=pool_size, max_overflow=0, pool_timeout=3600, hide_parameters=True
    )
    translate_outages(engine.sync_engine)

    @event.listens_for(engine.sync_engine, "connect")
    def _configure(connection: Any, record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves, see below
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Any) -> None:
        if turn is not None:
            connection.connection.dbapi_connection.run_async(lambda _: turn.acquire())
            connection.info[_HAS_TURN] = turn
        connection.exec_driver_sql(begin)

    @event.listens_for(engine.sync_engine, "checkin")
    def _pass_on(connection: object, record: Any) -> None:
        held = record.info.pop(_HAS_TURN, None)
        if held is not None:
            held.release()

    return engine


def _postgres_engine(url: str | URL, *, statement_s: float | None) -> AsyncEngine:
    asyncpg_url = make_url(url).set(drivername="postgresql+asyncpg")
    engine = create_async_engine(
        asyncpg_url,
        pool_size=16,
        max_overflow=16,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args={"timeout": _CONNECT_S, "command_timeout": statement_s},
    )

    translate_outages(engine.sync_engine)
    return engine
