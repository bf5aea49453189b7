"""The data directory: held by one server at a time, home of the embedded database and the secret key."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from odyssey.core.settings import Settings


class StartRefusedError(Exception):
    """The server cannot start as asked; the message says what to change."""


class DataDirectory:
    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Take the directory for this block; the lock goes with the process too, however it ends."""
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = (self.path / "lock").open("a+", encoding="utf-8")
        except OSError as error:
            raise StartRefusedError(
                f"The data directory {self.path} cannot be used: {error.strerror}."
            ) from error
        with handle:
            self._take(handle)
            yield

    def _take(self, handle: IO[str]) -> None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.seek(0)
            holder = handle.read().strip() or "another process"
            raise StartRefusedError(
                f"The data directory {self.path} is held by {holder}. Stop it, or choose another with --data."
            ) from None
        handle.seek(0)
        handle.truncate()
        handle.write(f"process {os.getpid()}")
        handle.flush()

    @property
    def database_file(self) -> Path:
        return self.path / "odyssey.db"

    def check_database_file(self) -> None:
        """Refuse a file that lost all it had: SQLite would take it for a new database."""
        file = self.database_file
        if self.address is not None and file.exists() and file.stat().st_size == 0:
            raise StartRefusedError(
                f"The database {file} is empty, although a server has used it. Put a backup in its place, or remove "
                "it to begin anew."
            )

    @property
    def database_url(self) -> str:
        return f"sqlite+aiosqlite:///{self.database_file}"

    @property
    def address(self) -> str | None:
        """Where a browser finds the server that holds the directory, or held it last."""
        try:
            return self._address_file.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None

    def keep_address(self, address: str) -> None:
        self._address_file.write_text(f"{address}\n", encoding="utf-8")

    @property
    def _address_file(self) -> Path:
        return self.path / "address"

    def secret_key(self) -> str:
        """Read the secret key, or make it on the first start."""
        file = self.path / "secret.key"
        if not file.exists():
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
                handle.write(secrets.token_hex(32))
        return file.read_text(encoding="utf-8").strip()


def choose_secret_key(settings: Settings, directory: DataDirectory | None) -> str:
    if settings.secret_key is not None:
        return settings.secret_key.get_secret_value()
    if directory is None:
        raise StartRefusedError(
            "With --database-url the secret key must be given: set ODYSSEY_SECRET_KEY to at least 32 characters "
            "(openssl rand -hex 32), the same for every process on this database."
        )
    if not settings.is_loopback:
        raise StartRefusedError(
            f"Listening on {settings.host} opens the server to the network: "
            "set ODYSSEY_SECRET_KEY to at least 32 characters first (openssl rand -hex 32)."
        )
    return directory.secret_key()
