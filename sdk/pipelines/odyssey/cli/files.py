"""Files of the person at the keyboard: rows and scenarios to send, and what is downloaded."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from pipelines.odyssey.cli.failures import CommandFailedError
from pipelines.odyssey.client.requests import Upload

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
