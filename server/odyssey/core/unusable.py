"""A database that cannot be used, said as a person can act on it: what is wrong, where, and what to do."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from asyncpg import InvalidAuthorizationSpecificationError, InvalidCatalogNameError, PostgresError
from sqlalchemy.exc import DBAPIError

from odyssey.core.database import Database
from odyssey.core.outages import StorageUnavailableError
from odyssey.core.outages import log as outage_log

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
