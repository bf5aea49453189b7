"""A file that is there whole or not at all."""

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from pipelines.odyssey.cli.failures import CommandFailedError

STDOUT = Path("-")


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
