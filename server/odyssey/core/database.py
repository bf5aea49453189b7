"""Sessions on SQLite or Postgres. One `read()` or `write()` block is one transaction; nobody else commits.

SQLite has one writer: a pool of exactly one connection is the queue in which writers wait, so that "database is
locked" cannot happen inside a process.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

_AFTER_COMMIT = "after_commit"


class Database:
    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            self._writer = _sqlite_engine(url, pool_size=1, begin="BEGIN IMMEDIATE")
            self._reader = _sqlite_engine(url, pool_size=8, begin="BEGIN")
        else:
            self._writer = self._reader = _postgres_engine(url)

    @property
    def engine(self) -> AsyncEngine:
        return self._writer

    @property
    def reader(self) -> AsyncEngine:
        return self._reader

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncSession]:
        async with AsyncSession(self._reader, expire_on_commit=False) as session:
            yield session

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncSession]:
        async with AsyncSession(self._writer, expire_on_commit=False) as session:
            async with session.begin():
                yield session
            for callback in session.info.pop(_AFTER_COMMIT, ()):
                callback()

    async def close(self) -> None:
        await self._writer.dispose()
        await self._reader.dispose()


def after_commit(session: AsyncSession, callback: Callable[[], None]) -> None:
    """Have `callback` called once this write is durable, and never if it is not."""
    session.info.setdefault(_AFTER_COMMIT, []).append(callback)


def _sqlite_engine(url: str, *, pool_size: int, begin: str) -> AsyncEngine:
    engine = create_async_engine(url, pool_size=pool_size, max_overflow=0, pool_timeout=3600)

    @event.listens_for(engine.sync_engine, "connect")
    def _configure(connection: Any, record: object) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves, see below
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Any) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _postgres_engine(url: str) -> AsyncEngine:
    asyncpg_url = make_url(url).set(drivername="postgresql+asyncpg")
    return create_async_engine(asyncpg_url, pool_size=16, max_overflow=16, pool_pre_ping=True)
