"""The data directory: held by one server, closed to others, home of the embedded database and the secret key."""

import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from odyssey.core.settings import Settings


class StartRefusedError(Exception):
    """The server cannot start as asked; the message says what to change."""


_DATABASE = "odyssey.db"
_FILES = (
    "lock",
    "address",
    "secret.key",
    _DATABASE,
    *(f"{_DATABASE}-{suffix}" for suffix in ("wal", "shm", "journal")),
)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class DataDirectory:
    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    def make_private(self) -> None:
        """Make it, and close it and what we keep in it to everybody else.

        Earlier versions, and whoever copied a backup here, left them as open as their umask was.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._close_to_others(self.path, 0o700)
            for file in (
                self._lock_file,
                self.database_file,
            ):  # SQLite gives those beside it the database's mode
                os.close(_privately(str(file), os.O_RDWR | os.O_CREAT))
            for name in _FILES:
                if (self.path / name).exists():
                    self._close_to_others(self.path / name, 0o600)
        except OSError as error:
            raise StartRefusedError(
                f"The data directory {self.path} cannot be used: {error.strerror}."
            ) from error

    def _close_to_others(self, path: Path, mode: int) -> None:
        found = path.stat()
        if not found.st_mode & _OTHERS:
            return
        shown = f"{path} is open to others (mode {stat.S_IMODE(found.st_mode):04o})"
        if os.geteuid() not in (0, found.st_uid):
            raise StartRefusedError(
                f"{shown} and belongs to another user: have them make it {mode:04o} or yours, "
                "or choose a directory of your own with --data."
            )
        if path == self.path and not self._is_ours():
            raise StartRefusedError(
                f"{shown} and holds other things, so Odyssey does not close it: "
                "choose a directory for its data alone with --data."
            )
        path.chmod(mode)

    def _is_ours(self) -> bool:
        names = {entry.name for entry in self.path.iterdir()}
        return names <= set(_FILES) or _DATABASE in names

    @contextmanager
    def held(self) -> Iterator[None]:
        """Take the directory for this block; the lock goes with the process too, however it ends."""
        self.make_private()
        try:
            handle = self._lock_file.open("a+", encoding="utf-8")
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
    def _lock_file(self) -> Path:
        return self.path / "lock"

    @property
    def database_file(self) -> Path:
        return self.path / _DATABASE

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
        self._write(self._address_file, f"{address}\n")

    @property
    def _address_file(self) -> Path:
        return self.path / "address"

    @property
    def secret_key(self) -> str | None:
        """The secret key; None if it was never kept, or is lost."""
        try:
            return self.secret_key_file.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return None

    def keep_secret_key(self, key: str) -> None:
        self._write(self.secret_key_file, key)

    @property
    def secret_key_file(self) -> Path:
        return self.path / "secret.key"

    def _write(self, file: Path, text: str) -> None:
        with open(file, "w", encoding="utf-8", opener=_privately) as handle:
            handle.write(text)


def _privately(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class SecretKey(NamedTuple):
    text: str
    origin: str
    """Where it is from, in words."""
    kept_in: DataDirectory | None = None
    """Where it is to be kept, if it is new."""

    def keep(self) -> None:
        if self.kept_in is not None:
            self.kept_in.keep_secret_key(self.text)


def choose_secret_key(settings: Settings, directory: DataDirectory | None) -> SecretKey:
    """Find the key, or make one that is to be kept once it is known that there was none before."""
    if settings.secret_key is not None:
        return SecretKey(settings.secret_key.get_secret_value(), "ODYSSEY_SECRET_KEY is not")
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
    key = directory.secret_key
    if key is not None:
        return SecretKey(key, f"{directory.secret_key_file} does not hold")
    return SecretKey(
        secrets.token_hex(32), f"{directory.secret_key_file} is missing, and a new one is not", directory
    )
