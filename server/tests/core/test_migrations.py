"""The migrations make exactly the tables the code declares, on both databases, once or many times."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine

import odyssey.main  # noqa: F401 - it imports every room, and so every table
from odyssey.core.database import Database
from odyssey.core.migrate import DatabaseUnusableError, _check_revision, migrate
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


def test_an_installation_with_two_newest_migrations_is_refused(tmp_path: Path) -> None:
    (tmp_path / "versions").mkdir()
    for name in ("one", "other"):
        script = f"revision = {name!r}\ndown_revision = None\n"
        (tmp_path / "versions" / f"{name}.py").write_text(script, encoding="utf-8")
    engine = create_engine("sqlite://")
    with engine.connect() as connection, pytest.raises(DatabaseUnusableError) as refused:
        _check_revision(connection, ScriptDirectory(str(tmp_path)))
    engine.dispose()
    assert "2 newest migrations (one, other)" in str(refused.value)
