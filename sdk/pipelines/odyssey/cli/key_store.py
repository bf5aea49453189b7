"""Keys that `odyssey login` keeps, one per address: in the keyring where there is one, else in a file of mode 0600."""

import json
import os
import stat
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from pipelines.odyssey.cli.failures import CommandFailedError

Place = Literal["keyring", "file"]

_SERVICE = "odyssey"
_FILE = "credentials.json"
_USABLE = 1
"""The least priority of a backend that the package recommends; others keep nothing, or plain text."""


def path_of_store() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME", "")
    # Paths that are not absolute must be ignored (XDG Base Directory Specification).
    folder = Path(base) if Path(base).is_absolute() else Path.home() / ".config"
    return folder / "odyssey" / _FILE


def last_address() -> str | None:
    """Return the address of the newest login."""
    address = _read().get("url")
    return address if isinstance(address, str) else None


def find_key(address: str) -> tuple[str, Place] | None:
    """Return the key that is kept for an address, and where it is."""
    login = _logins(_read()).get(address)
    if not isinstance(login, dict):
        return None
    if login.get("keyring"):
        ring = _keyring()
        key = None if ring is None else _ask(ring.get_password, address)
        return (key, "keyring") if key else None
    key = login.get("api_key")
    return (key, "file") if isinstance(key, str) and key else None


def keep_key(address: str, key: str) -> Place:
    """Keep a key and make its address the one that is asked by default."""
    kept = _read()
    ring = _keyring()
    logins = _logins(kept)
    if ring is not None:
        _ask(ring.set_password, address, key)
        logins[address] = {"keyring": True}
    else:
        logins[address] = {"api_key": key}
    _write({**kept, "url": address, "logins": logins})
    return "file" if ring is None else "keyring"


def forget_key(address: str) -> bool:
    """Delete what is kept for an address; says whether there was anything."""
    kept = _read()
    logins = _logins(kept)
    login = logins.pop(address, None)
    if login is None:
        return False
    ring = _keyring()
    if isinstance(login, dict) and login.get("keyring") and ring is not None:
        _ask(ring.delete_password, address, may_be_missing=True)
    if kept.get("url") == address:
        kept["url"] = next(reversed(logins), None)
    _write({**kept, "logins": logins})
    return True


def _logins(kept: dict[str, Any]) -> dict[str, Any]:
    logins = kept.get("logins")
    return dict(logins) if isinstance(logins, dict) else {}


def _read() -> dict[str, Any]:
    path = path_of_store()
    try:
        with path.open("rb") as file:
            _check_rights(path, os.fstat(file.fileno()))
            kept = json.loads(file.read())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise CommandFailedError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        kept = None
    if not isinstance(kept, dict):
        raise CommandFailedError(f"{path} is not what odyssey login writes; delete it and log in again.")
    return kept


def _check_rights(path: Path, status: os.stat_result) -> None:
    if os.name != "posix":
        return
    if status.st_uid != os.geteuid():
        raise CommandFailedError(f"{path} belongs to somebody else, so its keys are not used.")
    if stat.S_IMODE(status.st_mode) & 0o077:
        raise CommandFailedError(f"{path} can be read by others, so its keys are not used; chmod 600 {path}")


def _write(kept: dict[str, Any]) -> None:
    path = path_of_store()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.chmod(0o700)
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f"{_FILE}."
        )  # mode 0600 from the first moment
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(kept, file, indent=2)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CommandFailedError(f"{path} cannot be written: {error.strerror}.") from None


def _keyring() -> Any:
    """Return the keyring package if it is there and has a backend that keeps secrets."""
    try:
        ring = import_module("keyring")
    except ImportError:
        return None
    usable = getattr(ring.get_keyring(), "priority", 0) >= _USABLE
    return ring if usable else None


def _ask(act: Any, address: str, *more: str, may_be_missing: bool = False) -> Any:
    errors = import_module("keyring.errors")
    try:
        return act(_SERVICE, address, *more)
    except errors.PasswordDeleteError:
        if may_be_missing:
            return None
        raise
    except errors.KeyringError as error:
        said = type(error).__name__
        raise CommandFailedError(
            f"The keyring cannot be used ({said}); unlock it, set ODYSSEY_API_KEY, "
            "or set PYTHON_KEYRING_BACKEND=keyring.backends.null.Keyring and log in again."
        ) from None
