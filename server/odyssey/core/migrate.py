"""Bringing a database to the schema of this version, once, whoever starts first."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

from odyssey.core.database import Database

_LOCK = 0x0D_15_5E_7


async def migrate(database: Database) -> None:
    async with database.engine.begin() as connection:
        if not database.is_sqlite:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
        await connection.run_sync(_upgrade)


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
