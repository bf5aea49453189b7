"""The migrations make exactly the tables the code declares, on both databases, once or many times."""

import asyncio
from collections.abc import Callable

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection

import odyssey.main  # noqa: F401 - it imports every room, and so every table
from odyssey.core.database import Database
from odyssey.core.migrate import migrate
from odyssey.core.tables import Base

pytestmark = pytest.mark.both_databases


def test_migrating_gives_the_declared_schema(empty_database: Callable[[], str]) -> None:
    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), Base.metadata))

    url = empty_database()

    async def check() -> list[object]:
        database = Database(url)
        await migrate(database)
        await migrate(database)
        async with database.engine.connect() as connection:
            found = await connection.run_sync(differences)
        await database.close()
        return found

    assert asyncio.run(check()) == []


def test_servers_that_start_together_migrate_once(empty_database: Callable[[], str]) -> None:
    url = empty_database()

    async def start_all() -> None:
        databases = [Database(url) for _ in range(4)]
        await asyncio.gather(*(migrate(database) for database in databases))
        for database in databases:
            await database.close()

    asyncio.run(start_all())
