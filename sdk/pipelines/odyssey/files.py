"""Files of the person at the keyboard: rows to send, and what is downloaded."""

import sys
from collections.abc import Iterable
from pathlib import Path

from pipelines.odyssey.connection import CommandFailedError, Upload

MOST_BYTES = 50 * 1024 * 1024

_MEDIA_TYPES = {".csv": "text/csv", ".json": "application/json"}


def read_rows(path: Path) -> Upload:
    """Read a table of rows; what its name does not say is told from how it begins."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise CommandFailedError(f"{path} has more than 50 MiB; split it into several datasets.")
        content = path.read_bytes()
    except OSError as error:
        raise CommandFailedError(f"{path} cannot be read: {error.strerror}.") from None
    begins_as_json = content.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{")
    guessed = "application/json" if begins_as_json else "text/csv"
    return Upload(content, _MEDIA_TYPES.get(path.suffix.lower(), guessed))


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
