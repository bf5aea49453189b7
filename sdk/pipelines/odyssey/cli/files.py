"""Files of the person at the keyboard: rows and scenarios to send, and what is downloaded, whole or not at all."""

import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.client.requests import Upload

STDOUT = Path("-")
MOST_BYTES = 50 * 1024 * 1024

_JSON, _CSV, _YAML = "application/json", "text/csv", "application/yaml"


def read_rows(path: Path) -> Upload:
    """Read a table of rows; what its name does not say is told from how it begins."""
    return _read(path, {".csv": _CSV, ".json": _JSON}, otherwise=_CSV)


def read_scenarios(path: Path) -> Upload:
    """Read a file of scenarios; what its name does not say is told from how it begins."""
    return _read(path, {".yaml": _YAML, ".yml": _YAML, ".json": _JSON}, otherwise=_YAML)


def _read(path: Path, by_suffix: Mapping[str, str], *, otherwise: str) -> Upload:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise CommandFailedError(f"{path} has more than 50 MiB; split it.")
        content = path.read_bytes()
    except OSError as error:
        raise CommandFailedError(f"{path} cannot be read: {error.strerror}.") from None
    begins_as_json = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{")
    return Upload(content, by_suffix.get(path.suffix.lower(), _JSON if begins_as_json else otherwise))


def write_out(pieces: Iterable[bytes], output: Path | None) -> None:
    """Write a download to a file, or to standard output as it is."""
    if output is None:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    received = iter(pieces)
    first = next(received, b"")  # a refusal must not empty a file that was there
    try:
        with output.open("wb") as file:
            file.write(first)
            file.writelines(received)
    except OSError as error:
        raise CommandFailedError(f"{output} cannot be written: {error.strerror}.") from None


def write_whole(pieces: Iterable[bytes], output: Path | None) -> None:
    """Write to a file that takes the place of another only once it is complete; None and `-` are standard output."""
    if output is None or output == STDOUT:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        sys.stdout.buffer.flush()
        return
    try:
        handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name}.")
    except OSError as error:
        raise _unwritable(output, error) from None
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
        made.chmod(_mode(output))
        made.replace(output)
    except OSError as error:
        raise _unwritable(output, error) from None
    finally:
        made.unlink(missing_ok=True)


def _mode(output: Path) -> int:
    """Return the rights that the file has or would have got."""
    if output.exists():
        return output.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _unwritable(output: Path, error: OSError) -> CommandFailedError:
    return CommandFailedError(f"{output} cannot be written: {error.strerror}.")
