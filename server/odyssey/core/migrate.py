"""Bringing a database to the schema of this version, once, whoever starts first."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from asyncpg import InvalidAuthorizationSpecificationError, InvalidCatalogNameError, PostgresError
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from odyssey.core.database import Database, StorageUnavailableError
from odyssey.core.database import log as outage_log
from odyssey.core.tables import Base

# A database that cannot be used, said as a person can act on it: what is wrong, where, and what to do.

_BACKUP = "Put a backup in its place, or choose another directory with --data."


class DatabaseUnusableError(Exception):
    """The database cannot be used as it is; the message says why and what to do, and holds no password."""


@contextmanager
def explained(database: Database) -> Iterator[None]:
    """Turn what goes wrong with the database in here into a DatabaseUnusableError, which is not logged as well."""
    outage_log.disabled = True
    try:
        yield
    except StorageUnavailableError as error:
        raise DatabaseUnusableError(_sentence(database, error.__cause__ or error)) from error
    except DBAPIError as error:
        raise DatabaseUnusableError(_sentence(database, error.orig or error)) from error
    except (sqlite3.Error, PostgresError, OSError) as error:
        raise DatabaseUnusableError(_sentence(database, error)) from error
    finally:
        outage_log.disabled = False


def _sentence(database: Database, error: BaseException) -> str:
    cause = error.__cause__ or error  # SQLAlchemy keeps what asyncpg raised behind a class of its own
    if database.is_sqlite:
        return _of_file(database.url.database or "", cause)
    where = f"The database {database.url.database} at {database.url.host or 'this machine'}"
    said = f"{cause}".strip().partition("\n")[0].rstrip(".")
    match cause:
        case OSError():
            reason = said or "there was no answer in time"
            return f"{where} cannot be reached: {reason}. Is Postgres up, and is --database-url right?"
        case InvalidAuthorizationSpecificationError():
            return f"{where} refuses the sign-in: {said}. Check the user and the password in --database-url."
        case InvalidCatalogNameError():
            return f"{where} does not exist. Create it, or name another in --database-url."
    return f"{where} cannot be used: {said}."


def _of_file(path: str, error: BaseException) -> str:
    code = getattr(error, "sqlite_errorcode", None)
    match None if code is None else code & 0xFF:  # the rest says which kind of an error it is
        case sqlite3.SQLITE_NOTADB:
            return f"{path} is not an SQLite database, or its beginning was overwritten. {_BACKUP}"
        case sqlite3.SQLITE_CORRUPT:
            return damaged(path, str(error))
    return f"The database {path} cannot be used: {error}."


def damaged(path: str, found: str) -> str:
    return (
        f"The database {path} is damaged ({found}). {_BACKUP} `sqlite3 {path} .recover` writes down as SQL "
        "what can still be read."
    )


_LOCK = 0x0D_15_5E_7
_SMALL = 64 * 1024 * 1024
"""Bytes of a database file that are read in a moment."""
_MOST_SHOWN = 5


async def migrate(database: Database) -> None:
    async with database.patient_transaction() as connection:
        if not database.is_sqlite:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK})
        await connection.run_sync(_upgrade)


async def check_file(database: Database) -> None:
    """Look whether a database file is whole before anything is written to it; raises DatabaseUnusableError.

    A small one is read from end to end; damaged pages of a large one are met when they are needed.
    """
    path = database.url.database or ""
    if not database.is_sqlite or not 0 < _size(path) <= _SMALL:
        return
    async with database.engine.connect() as connection:
        found = (await connection.exec_driver_sql("PRAGMA quick_check(1)")).scalar_one()
    if found != "ok":
        raise DatabaseUnusableError(damaged(path, " ".join(found.split())))


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except FileNotFoundError:
        return 0


async def check_tables(database: Database) -> None:
    """Look whether a migrated database has the tables of this version; raises DatabaseUnusableError.

    A migration that was edited after it was applied leaves the number of the one and the tables of the other.
    """
    async with database.engine.connect() as connection:
        differences = await connection.run_sync(lambda connection: list(_differences(connection)))
    if differences:
        more = len(differences) - _MOST_SHOWN
        shown = ", ".join(differences[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
        raise DatabaseUnusableError(
            f"The tables of the database are not those of this version, although it says so ({shown}): a migration was "
            "edited after it was applied, or the tables were changed by hand. Put a backup in its place, start the "
            "version of Odyssey that made it, or change the tables back."
        )


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    _check_revision(connection, ScriptDirectory.from_config(config))
    command.upgrade(config, "head")


def _check_revision(connection: Connection, scripts: ScriptDirectory) -> None:
    newest = scripts.get_heads()
    if len(newest) != 1:
        raise DatabaseUnusableError(
            f"This installation of Odyssey has {len(newest)} newest migrations ({', '.join(sorted(newest))}) where one "
            "is right: install it afresh."
        )
    known = {script.revision for script in scripts.walk_revisions()}
    unknown = set(MigrationContext.configure(connection).get_current_heads()) - known
    if unknown:
        raise DatabaseUnusableError(
            f"The database was last used by a newer version of Odyssey: its schema is {', '.join(sorted(unknown))}, "
            f"and this version knows those up to {newest[0]}. Nothing was changed. Start the newer version, or "
            "choose another database with --data or --database-url."
        )


def _differences(connection: Connection) -> Iterator[str]:
    """Compare names of columns, and whether they may be null, with what is declared."""
    found = inspect(connection).get_multi_columns()
    for table in Base.metadata.sorted_tables:
        columns = {each["name"]: each["nullable"] for each in found.get((None, table.name), ())}
        if not columns:
            yield f"there is no table {table.name}"
            continue
        declared = {column.name: column.nullable for column in table.columns}
        for name in sorted(declared.keys() | columns.keys()):
            if name not in columns:
                yield f"{table.name} has no column {name}"
            elif name not in declared:
                yield f"{table.name} has a column {name}"
            elif columns[name] != declared[name]:
                yield f"{table.name}.{name} may {'' if columns[name] else 'not '}be null"
