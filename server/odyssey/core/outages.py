"""When the database or its disk is away: how that is recognised, and what callers are told.

Every engine translates what its driver says of an outage into `StorageUnavailableError`, where it happens. A mistake of
ours (a statement that is wrong, a value that does not fit) stays what it is and becomes a 500: only an outage may be
tried again, and only an outage keeps a run from being measured.
"""

import logging
import sqlite3
from typing import Any, Final

import asyncpg
from sqlalchemy import event
from sqlalchemy.engine import Engine, ExceptionContext
from sqlalchemy.exc import DBAPIError, InterfaceError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from odyssey.core.errors import OdysseyError

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
