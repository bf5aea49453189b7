"""What counts as an outage of the database: silence does, a mistake of ours does not."""

import asyncio
import time

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from support.postgres import new_postgres_database

from odyssey.core.database import Database, StorageUnavailableError
from odyssey.core.migrate import _LOCK, migrate

_LONGEST_WAIT = (
    "SELECT extract(epoch FROM clock_timestamp() - query_start) FROM pg_stat_activity "
    "WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


@pytest.fixture
def empty_postgres(postgres_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("odyssey.core.database._STATEMENT_S", 2.0)
    return new_postgres_database(postgres_server, f"outages_{time.monotonic_ns()}")


def test_a_statement_that_gets_no_answer_is_an_outage_and_the_next_one_is_answered(
    empty_postgres: str,
) -> None:
    async def ask() -> int:
        database = Database(empty_postgres)
        try:
            with pytest.raises(StorageUnavailableError):
                async with database.read() as session:
                    await session.execute(text("SELECT pg_sleep(600)"))
            async with database.read() as session:
                return int(await session.scalar(text("SELECT 7")) or 0)
        finally:
            await database.close()

    assert asyncio.run(ask()) == 7


def test_a_migration_and_waiting_for_one_may_take_as_long_as_they_need(empty_postgres: str) -> None:
    async def start_while_another_migrates() -> None:
        database, other = Database(empty_postgres), await asyncpg.connect(empty_postgres)
        try:
            await other.execute(f"SELECT pg_advisory_lock({_LOCK})")
            migrating = asyncio.ensure_future(migrate(database))
            while (await other.fetchval(_LONGEST_WAIT) or 0) < 2.5:
                await asyncio.sleep(0.02)
                assert not migrating.done()
            await other.execute(f"SELECT pg_advisory_unlock({_LOCK})")
            await migrating
            assert await other.fetchval("SELECT count(*) FROM runs") == 0
        finally:
            await other.close()
            await database.close()

    asyncio.run(start_while_another_migrates())


@pytest.mark.parametrize(
    "statement", ["SELECT no_such_column FROM pg_class", "SELECT 1/0", "SELECT CAST('x' AS integer)"]
)
def test_a_mistake_of_ours_is_no_outage(empty_postgres: str, statement: str) -> None:
    async def ask() -> None:
        database = Database(empty_postgres)
        try:
            async with database.read() as session:
                await session.execute(text(statement))
        finally:
            await database.close()

    with pytest.raises(DBAPIError):
        asyncio.run(ask())
